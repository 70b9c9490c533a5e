import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { NO_HARD_LINKS } from '../../config/files/hard-links.ts'
import { belongsToUs } from './database.ts'
import { createNew, makeDurable, UnusableFile } from './database-file.ts'
import { connect, DriverMismatch } from './driver.ts'
import { reasonOf } from './group-commit.ts'

/**
 * Copies a database at one moment, also while a service writes to it. When this returns, the copy is one complete,
 * private file on disk. It gets its name last, so an interrupted copy never looks like a back-up.
 *
 * @param to a file that does not exist yet
 * @throws Error with one sentence for operators
 */
export const backUpSqlite = (from: string, to: string): void => {
  const partial = `${to}.${process.pid}.partial` // another process may copy to the same name
  if (existsSync(to)) throw new Error(alreadyExists(to))
  if (!existsSync(from)) throw new Error(`There is no store ${from}. Check DATABASE_URL.`)
  try {
    removePartial(partial)
    createPrivateFile(partial)
    copy(from, partial)
    markAsCopy(partial)
    makeDurable(partial)
    publish(partial, to)
    makeDurable(dirname(to))
  } catch (error) {
    if (error instanceof BackUpRefused || error instanceof DriverMismatch) throw error
    if (error instanceof UnusableFile) throw new Error(`The store ${from} cannot be copied: ${error.message}`)
    const reason = reasonOf(error)
    throw new Error(
      reason === 'EEXIST'
        ? alreadyExists(to)
        : `The store ${from} cannot be copied to ${to}: ${reason}. Check both paths and the disk.`,
    )
  } finally {
    removePartial(partial)
  }
}

const alreadyExists = (path: string): string =>
  `${path} already exists. Name a new file: a back-up overwrites nothing.`

/** An error whose message is a sentence for operators. */
class BackUpRefused extends Error {}

/** Creates the file in the folder of the copy, private from the start. */
const createPrivateFile = (partial: string): void => {
  try {
    createNew(partial)
  } catch (error) {
    const problemOf = FOLDER_PROBLEMS[reasonOf(error)]
    if (problemOf !== undefined) throw new BackUpRefused(problemOf(dirname(partial)))
    throw error
  }
}

const notWritable = (folder: string): string =>
  `This user may not write to the folder ${folder}. Change its owner or mode, or name a file in another one.`

/** Problems of a folder in which no file can be created, by error code. */
const FOLDER_PROBLEMS: Readonly<Record<string, (folder: string) => string>> = {
  ENOENT: (folder) => `There is no folder ${folder}. Create it, or name a file in another one.`,
  ENOTDIR: (folder) => `${folder} is not a folder. Name a file in another one.`,
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
}

/** VACUUM INTO reads in one transaction, and does not block writers. */
const copy = (from: string, to: string): void => {
  const db = connect(from, { fileMustExist: true })
  try {
    if (!belongsToUs(db)) throw new BackUpRefused(`${from} is not a store of Portcullis. Check DATABASE_URL.`)
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
}

/**
 * A link overwrites nothing. File systems without links (FAT, some network shares) get a reserved name that is then
 * replaced.
 */
const publish = (partial: string, to: string): void => {
  try {
    linkSync(partial, to)
  } catch (error) {
    if (!NO_HARD_LINKS.has(reasonOf(error))) throw error
    createNew(to, INCOMPLETE)
    try {
      renameSync(partial, to)
    } catch (failure) {
      rmSync(to, { force: true })
      throw failure
    }
  }
}

/** The reserved name contains this text, because a service would take an empty file for a new store. */
const INCOMPLETE = 'This back-up was interrupted. Delete this file, then back up again.\n'

/** Makes a store on the copy renew its epoch before it writes, and removes the notes of servers: none runs on the copy. */
const markAsCopy = (copied: string): void => {
  const db = connect(copied, { fileMustExist: true })
  try {
    db.pragma('journal_mode = MEMORY') // the file has no name yet, so it needs no durable journal
    db.exec('UPDATE log_epoch SET is_copy = 1; DELETE FROM server_notes')
  } finally {
    db.close()
  }
}

const removePartial = (partial: string): void => {
  for (const file of [partial, `${partial}-journal`]) {
    try {
      rmSync(file, { force: true })
    } catch {
      // The first error is the one to report.
    }
  }
}
