import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Runs the work with this much free space reported for every disk. */
export const withFreeBytes = <A>(bytes: number, work: () => A): A => {
  const { statfsSync } = fs
  const bsize = 4_096
  fs.statfsSync = ((path: string) => ({
    ...statfsSync(path),
    bsize,
    bavail: bytes / bsize,
    bfree: bytes / bsize + 1_000_000, // root's reserve, which a service cannot use
  })) as typeof statfsSync
  syncBuiltinESMExports()
  try {
    return work()
  } finally {
    fs.statfsSync = statfsSync
    syncBuiltinESMExports()
  }
}
