import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Processes as anybody on the machine may see them. Only Linux has /proc. */
export const CAN_SEE_PROCESSES = process.platform === 'linux'

/** The ids of the processes whose working directory is this folder. */
export const processesIn = (folder: string): ReadonlyArray<number> =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => unlessGone(() => readlinkSync(`/proc/${id}/cwd`)) === folder)

/** The words of a process's command line. */
export const commandLineOf = (id: number): string =>
  unlessGone(() => readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')) ?? ''

/** How much memory of the machine a process holds, in kB. */
export const residentMemoryOf = (id: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])

/**
 * Collects the command lines of all processes in a folder for as long as something goes on there, the first at once.
 *
 * @returns each that was seen, once
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

/** Processes of others may end at any moment, and some are not for us to look at. */
const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
