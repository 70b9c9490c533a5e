import { statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

/** A file system in memory, on Linux. Nothing may be executed there. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 2 ** 31

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) > ROOM_BYTES
  } catch {
    return false
  }
}

/** Where tests that never end the machine keep their stores: in memory if there is room, because a disk takes CPU time, too. */
export const FLEETING_FOLDER = process.env.TESTS_WITHOUT_FSYNC && hasRoom() ? MEMORY : tmpdir()
