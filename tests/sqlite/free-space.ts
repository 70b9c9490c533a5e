import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** What comes of it where every disk has this much room left for its users. */
export const withFreeBytes = <A>(bytes: number, work: () => A): A => {
  const { statfsSync } = fs
  const bsize = 4_096
  fs.statfsSync = ((path: string) => ({
    ...statfsSync(path),
    bsize,
    bavail: bytes / bsize,
    bfree: bytes / bsize + 1_000_000, // what is kept for the system itself is of no use to a service
  })) as typeof statfsSync
  syncBuiltinESMExports()
  try {
    return work()
  } finally {
    fs.statfsSync = statfsSync
    syncBuiltinESMExports()
  }
}
