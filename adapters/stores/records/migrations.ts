import { readdirSync } from 'node:fs'
import { textOf } from '../../config/files/program-files.ts'

/** The steps that make the tables, in their order. Their number is the number of the schema. */
export type Migrations = ReadonlyArray<Readonly<{ name: string; sql: string }>>

/** Returns the migrations in a folder. */
export const migrationsIn = (folder: URL): Migrations =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: textOf(new URL(name, folder)) }))

/** Returns why a store with another schema than the expected one cannot be used: undefined if it is the same. */
export const schemaProblem = (found: number, expected: number): string | undefined => {
  if (found > expected) return `a newer version of Portcullis wrote it (schema ${found}). Start that version.`
  if (found < expected)
    return `an older version of Portcullis wrote it (schema ${found}). Start a service of this version, which migrates it.`
  return undefined
}

/** Why a store cannot be used that was made before the first release: no migration leads from its tables to these. */
export const UNRELEASED =
  'a version before the first release wrote it. Run with that version: portcullis user export users.jsonl. ' +
  'Then name a new store in DATABASE_URL, and run with this version: portcullis application create, and portcullis user import users.jsonl.'
