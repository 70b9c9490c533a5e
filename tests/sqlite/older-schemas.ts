import { readdirSync, readFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { expect } from 'chai'
import { digestOfKey } from '../../adapters/stores/records/count-key.ts'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { schemeOfRecord } from '../../adapters/stores/sqlite/former-records.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const MIGRATIONS = new URL('../../adapters/stores/sqlite/migrations/', import.meta.url)

/** Creates a file as the version with this schema did, and fills it. */
export const laySchema = (path: string, schema: number, fill: (db: Database.Database) => void): void =>
  withRaw(path, (db) => {
    db.pragma('journal_mode = WAL')
    db.function('scheme_of_record', (record) => schemeOfRecord(String(record)))
    db.function('digest_of_key', (key) => digestOfKey(String(key)))
    for (const name of readdirSync(MIGRATIONS).sort().slice(0, schema))
      db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    db.pragma(`user_version = ${schema}`)
    db.pragma(`application_id = ${0x504f5254}`)
    fill(db)
  })

/** Migrates the file, and expects the schema of a new one. */
export const expectSchemaOfNewFile = async (path: string): Promise<void> => {
  openDatabase(path).close()
  const fresh = onFile(async (other) => {
    openDatabase(other).close()
    expect(contents(path).schema).to.deep.equal(contents(other).schema)
  })
  await fresh()
}
