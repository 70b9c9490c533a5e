import { existsSync, readFileSync } from 'node:fs'

/** Only Linux lists locks. */
export const LISTS_LOCKS = existsSync('/proc/locks')

/**
 * Whether a process holds the shared lock that SQLite keeps on a file as long as a connection uses its write-ahead log
 * (the bytes of SHARED, sqlite.org/lockingv3.html).
 *
 * @param inode of the database file
 */
export const holdsSharedLock = (pid: number, inode: number): boolean =>
  readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => {
      const [, kind, , , holder, file = '', first, last] = line.trim().split(/\s+/)
      const isOfFile = kind === 'POSIX' && Number(holder) === pid && file.endsWith(`:${inode}`)
      return isOfFile && Number(first) <= SHARED_BYTE && (last === 'EOF' || Number(last) >= SHARED_BYTE)
    })

const SHARED_BYTE = 0x40000002
