import { readdirSync, readFileSync } from 'node:fs'

/** Whether a process runs. One that ended and that no parent has waited for does not. */
export const isRunning = (pid: number): boolean => !['Z', undefined].includes(statusOf(pid)?.state)

/** A process and its children, itself first. Nothing without one. */
export const withChildren = (pid: number | undefined): ReadonlyArray<number> =>
  pid === undefined
    ? []
    : [
        pid,
        ...readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(Number)
          .filter((each) => statusOf(each)?.parent === pid),
      ]

/** Sends a signal, unless the process has ended. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  if (isRunning(pid)) process.kill(pid, name)
}

const statusOf = (pid: number): Readonly<{ state: string; parent: number }> | undefined => {
  try {
    // The name of the program, in brackets, may contain spaces.
    const [state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
