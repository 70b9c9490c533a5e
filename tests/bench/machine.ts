import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** The cores that this process may use, or undefined without `taskset`. Read before the first change. */
const allowedCores = (): ReadonlyArray<number> | undefined => {
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
  return status === 0 ? coresIn(stdout.slice(stdout.lastIndexOf(':') + 1).trim()) : undefined
}

/** The cores of a list such as `0-2,5`. */
export const coresIn = (list: string): ReadonlyArray<number> =>
  list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })

const CORES = allowedCores()

/** Whether servers and load run on separate cores. */
export const CAN_SEPARATE = CORES !== undefined && CORES.length >= 2

/** The number of cores that the benchmark may use. */
export const CORE_COUNT = CORES?.length ?? availableParallelism()

/** Where a server runs: on the first, second … core, or on all cores. */
export type Place = number | 'anywhere'

/** The command line that runs a program at a place. */
export const at = (place: Place, command: ReadonlyArray<string>): readonly [string, ...Array<string>] => {
  const [program = process.execPath, ...words] = command
  if (CORES === undefined || !CAN_SEPARATE) return [program, ...words]
  const cores = place === 'anywhere' ? CORES : [CORES[place]]
  return ['taskset', '-c', cores.join(','), program, ...words]
}

/** The command line that runs a program with the CPU time that no other program wants. Without `chrt` it runs as any other. */
export const whenIdle = (
  command: readonly [string, ...Array<string>],
): readonly [string, ...Array<string>] => (HAS_IDLE_PRIORITY ? ['chrt', '--idle', '0', ...command] : command)

const HAS_IDLE_PRIORITY = spawnSync('chrt', ['--idle', '0', 'true']).status === 0

/** Moves this process, which makes the load, off the cores of the servers. With 0 it runs on every core. */
export const leaveToServers = (serverCores: number): void => {
  if (CORES === undefined || !CAN_SEPARATE) return
  execFileSync('taskset', ['-acp', CORES.slice(serverCores).join(','), String(process.pid)], {
    stdio: 'ignore',
  })
}

/** One line about the machine and about where things run. */
export const machineLine = (): string => {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU'
  const placement = CAN_SEPARATE
    ? 'Server and load run on separate cores.'
    : 'Server and load share all cores: this needs taskset and two cores.'
  return `Node.js ${process.versions.node}, ${CORE_COUNT} × ${model}. ${placement}`
}

/** CPU time of the whole machine so far, in ticks. Zeros where there is no /proc. */
export type MachineTimes = Readonly<{ busy: number; steal: number; total: number }>

export const machineTimes = (): MachineTimes => {
  try {
    const line = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, steal = 0] = line
      .split(' ')
      .map(Number)
    const busy = user + nice + system + interrupts + soft + steal
    return { busy, steal, total: busy + idle + wait }
  } catch {
    return { busy: 0, steal: 0, total: 0 }
  }
}

/** The share of `busy` or `steal` since an earlier moment. */
export const shareSince = (of: 'busy' | 'steal', before: MachineTimes): number => {
  const now = machineTimes()
  return (now[of] - before[of]) / Math.max(1, now.total - before.total)
}

/** How busy other work keeps the machine while the benchmark waits. */
export const busyShare = async (): Promise<number> => {
  const before = machineTimes()
  await pause(LISTEN_MS)
  return shareSince('busy', before)
}

const LISTEN_MS = 500
