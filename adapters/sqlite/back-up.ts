import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { reasonOf } from './group-commit.ts'

/**
 * Copies a database as it is at one moment, beside a service that goes on writing. The copy is one whole file, private,
 * and on the disk when this returns; there is none when it fails.
 *
 * @param to a file that does not exist yet
 * @throws Error with one sentence for operators
 */
export const backUpSqlite = (from: string, to: string): void => {
  lay(to)
  try {
    copy(from, to)
    for (const place of [to, dirname(to)]) makeDurable(place)
  } catch (error) {
    rmSync(to, { force: true })
    throw new Error(
      `The store ${from} cannot be copied to ${to}: ${reasonOf(error)}. Look at both places and the disk.`,
    )
  }
}

const lay = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new Error(
      isThere
        ? `${path} exists already. Name a file that does not: a back-up overwrites nothing.`
        : `${path} cannot be made (${reasonOf(error)}). Name a file in a folder that this user may write to.`,
    )
  }
}

/** One reading transaction sees one moment, and nobody who writes waits for it. */
const copy = (from: string, to: string): void => {
  const db = new Database(from, { fileMustExist: true })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
}

const makeDurable = (path: string): void => {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}
