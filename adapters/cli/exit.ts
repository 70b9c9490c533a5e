/** The exit statuses of a command (docs/cli.md, "Exit statuses"). */
export const EXIT = {
  done: 0,
  /** Refused or failed. */
  failed: 1,
  wrongUsage: 2,
  /** EX_CONFIG of sysexits.h. */
  wrongSettings: 78,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command. The message is a sentence for standard error. */
export class CommandFailed extends Error {
  readonly status: ExitStatus

  constructor(message: string, status: ExitStatus = EXIT.failed) {
    super(message)
    this.status = status
  }
}
