import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../../config/files/folders.ts'

/*
 * The only module of this adapter that opens files without SQLite, which tests/architecture enforces. When a process closes any handle of a
 * file, POSIX drops all its locks on that file (sqlite.org/howtocorrupt.html §2.2). Another program would then take a store in use for
 * unused, and delete its write-ahead log.
 */

/** An error whose message is a sentence for operators. */
export class UnusableFile extends Error {}

/**
 * Creates the file and its folder, private from the start. Anything but a regular file, such as a device, stays
 * untouched.
 *
 * @param setting the one that names the file
 * @throws UnusableFile
 */
export const createPrivately = (path: string, setting: 'DATABASE_URL' | 'READ_MODEL'): void => {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined) {
    const file = withoutLinks(path)
    makeFolder(dirname(file))
    createUnlessThere(file)
  } else if (there.isFile()) accessSync(path, constants.R_OK | constants.W_OK)
  else
    throw new UnusableFile(
      `it is ${there.isDirectory() ? 'a folder' : 'not a regular file'}. Name a file in ${setting}.`,
    )
}

/** Another process may have created it meanwhile. */
const createUnlessThere = (path: string): void => {
  try {
    createNew(path)
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error
  }
}

/**
 * The file to which symbolic links lead, also if it is missing. SQLite puts its other files beside that one.
 *
 * @throws UnusableFile if the links lead in a circle
 */
export const withoutLinks = (path: string, linksLeft = MOST_LINKS): string => {
  if (!isLink(path)) return path
  if (linksLeft === 0) throw new UnusableFile(`The symbolic links of ${path} lead in a circle.`)
  return withoutLinks(resolve(dirname(path), readlinkSync(path)), linksLeft - 1)
}

/** That of Linux. */
const MOST_LINKS = 40

/** What cannot be looked at is none: opening it says why. */
const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** Creates a private file, which no process can have open. */
export const createNew = (path: string, text = ''): void =>
  writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: text !== '' })

/** No other user may read the file, or those that SQLite creates beside it. */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}

/** @param path a folder, or a file that this process has not open */
export const makeDurable = (path: string): void => {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/**
 * Writes as much as a batch of changes into a new file beside the database, which has no name any more. Its bytes are random, because some
 * file systems compress. SQLite reports a quota as an I/O error, so only a new file tells that there is room again.
 *
 * If the disk has room and only no number for a new file, changes have room: SQLite makes none for them.
 *
 * @throws Error of the system
 */
export const expectRoom = async (path: string): Promise<void> => {
  const probe = `${path}.probe-${randomBytes(8).toString('hex')}`
  const file = await open(probe, 'wx', 0o600).catch((error) => {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (Object(error).code !== 'ENOSPC' || bavail * bsize < ROOM_BYTES) throw error
  })
  try {
    await rm(probe, { force: true })
    await file?.writeFile(randomBytes(ROOM_BYTES))
    await file?.sync()
  } finally {
    await file?.close()
  }
}

/** A sign-in writes ten pages of 4 KiB, and a batch has at most 256 changes, which share most of theirs. */
const ROOM_BYTES = 1024 * 1024

/** Returns the begin of a database file (sqlite.org/fileformat2.html §1.3), or undefined if this process has the file open. */
export const headerOf = (path: string): Buffer | undefined => {
  if (isOpenHere(path)) return undefined
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(file)
  }
  return header
}

/** Whether the header is that of a SQLite database. */
export const isOfSqlite = (header: Buffer): boolean => header.toString('latin1', 0, MAGIC.length) === MAGIC

/**
 * Refuses a database beside the write-ahead log of another one, which SQLite would write into it: a back-up that was restored without
 * moving the former files away. A back-up is not in WAL mode, and SQLite switches a file to that mode before it creates a log.
 *
 * @throws UnusableFile
 */
export const refuseForeignLog = (path: string): void => {
  const log = `${path}-wal`
  const hasLog = [path, log].every((file) => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.isFile() && found.size > 0
  })
  const header = hasLog ? headerOf(path) : undefined
  if (header !== undefined && isOfSqlite(header) && header[MODE_AT] === ROLLBACK_MODE)
    throw new UnusableFile(
      `${log} belongs to another database, beside which this file was copied. Move ${log} and ${path}-shm away.`,
    )
}

/** A thread has its own variables, but shares the open files of the process. So the system is asked. */
const isOpenHere = (path: string): boolean => {
  if (process.platform === 'win32') return false // each handle has its own locks
  const { dev, ino } = statSync(path)
  try {
    return readdirSync(OPEN_FILES).some((name) => {
      const found = statSync(`${OPEN_FILES}/${name}`, { throwIfNoEntry: false })
      return found?.dev === dev && found.ino === ino
    })
  } catch {
    return true // unknown
  }
}

/** Linux and macOS list here the open files of the process. */
const OPEN_FILES = '/dev/fd'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const MODE_AT = 18
const ROLLBACK_MODE = 1
