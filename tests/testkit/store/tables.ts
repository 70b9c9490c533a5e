import type { Change, Row, RowOf, Table } from '../../../application/ports/store.ts'
import {
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
  issuedToken,
} from '../builders.ts'

/** How a row of each table is made, and which fields an update of it changes. The number makes each update different. */
const SAMPLES: {
  readonly [T in Table]: Readonly<{
    make: (fields: Readonly<{ id?: string }>) => RowOf<T>
    fields: (number: number) => Partial<RowOf<T>>
  }>
} = {
  applications: { make: anApplication, fields: (number) => ({ name: `name ${number}` }) },
  users: { make: aUser, fields: (number) => ({ passwordRecord: `1$$${number}` }) },
  sessions: { make: aSession, fields: (number) => ({ passwordVersion: number }) },
  keys: { make: aKey, fields: (number) => ({ material: `material ${number}` }) },
  revoked_tokens: { make: aRevokedToken, fields: (number) => ({ expiresAtSeconds: number }) },
  one_time_tokens: { make: aOneTimeToken, fields: (number) => ({ expiresAtSeconds: number }) },
}

/** Every table. One that is missing above does not compile. */
export const EVERY_TABLE = Object.keys(SAMPLES) as ReadonlyArray<Table>

/** A row that was never written, with a new id or this one. */
export const newRow = (table: Table, id?: string): Row =>
  ({ table, row: SAMPLES[table].make(id === undefined ? {} : { id }) }) as Row

/** The row under this version, with other content for each number. */
export const updated = ({ table, row }: Row, version: number, number: number): Row =>
  ({ table, row: { ...row, ...SAMPLES[table].fields(number), version } }) as Row

/** A change that writes these rows. */
export const writing = (...rows: ReadonlyArray<Row>): Change => ({ ...change(issuedToken()), rows })
