/** How a command ends (interface §5). */
export const EXIT = {
  done: 0,
  /** Refused, or failed. */
  failed: 1,
  wrongUsage: 2,
  /** EX_CONFIG of sysexits.h. */
  wrongSettings: 78,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with one sentence for its user on standard error. */
export class CommandFailed extends Error {
  readonly status: ExitStatus

  constructor(message: string, status: ExitStatus = EXIT.failed) {
    super(message)
    this.status = status
  }
}
