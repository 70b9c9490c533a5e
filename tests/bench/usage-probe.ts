import { readFileSync } from 'node:fs'

/** Loaded into a server before its own code: answers each message of the benchmark with the usage so far. */
export type Usage = Readonly<{
  /** CPU time, in microseconds. */
  user: number
  system: number
  /** Resident memory now, in bytes. */
  rss: number
  /** Resident memory at its peak, in bytes. */
  peakRss: number
}>

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const usage: Usage = {
    user,
    system,
    rss: process.memoryUsage.rss(),
    peakRss: peakKilobytes() * 1024,
  }
  process.send?.(usage)
})
process.channel?.unref()

/** On Linux, `maxRSS` contains the memory of the process that started this one, and /proc does not. */
const peakKilobytes = (): number => {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
