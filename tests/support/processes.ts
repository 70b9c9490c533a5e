import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Processes as other users of the machine see them. Only Linux has /proc. */
export const CAN_SEE_PROCESSES = process.platform === 'linux'

/** The ids of the processes whose working directory is this folder. */
export const processesIn = (folder: string): ReadonlyArray<number> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => unlessGone(() => readlinkSync(`/proc/${id}/cwd`)) === folder)

/** The arguments of a process. */
export const commandLineOf = (id: number): string =>
  unlessGone(() => readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? ''

/** The resident memory of a process, in kB. */
export const residentMemoryOf = (id: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])

/**
 * Collects the command lines of all processes in a folder during some work, starting at once.
 *
 * @returns each distinct one
 */
export const commandLinesDuring = async (
  folder: string,
  something: () => Promise<void>,
): Promise<ReadonlyArray<string>> => {
  const seen = new Set<string>()
  const look = () => {
    for (const id of processesIn(folder)) seen.add(commandLineOf(id))
  }
  const going = something()
  look()
  const looking = setInterval(look, LOOK_EVERY_MS)
  try {
    await going
  } finally {
    clearInterval(looking)
  }
  return [...seen]
}

const LOOK_EVERY_MS = 20

/** Other processes may end at any moment, and some are not readable. */
const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
