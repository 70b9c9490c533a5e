import type { Change, ExpiringTable, Row, RowOf, Table } from '../../../application/ports/store.ts'
import type { OneTimeToken } from '../../../domain/one-time-token.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
  issuedToken,
  newId,
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
  one_time_tokens: { make: aOneTimeTokenOf, fields: (number) => ({ expiresAtSeconds: number }) },
  factors: { make: aFactor, fields: (number) => ({ mark: number }) },
}

/** A row that was never written, with a new id or this one. */
export const newRow = (table: Table, id?: string): Row =>
  ({ table, row: SAMPLES[table].make(id === undefined ? {} : { id }) }) as Row

/** A row with this id and expiry. */
export const expiringRow = (table: ExpiringTable, id: string, expiresAtSeconds: number): Row =>
  ({ table, row: { ...SAMPLES[table].make({ id }), expiresAtSeconds } }) as Row

/** The row under this version, with other content for each number. */
export const updated = ({ table, row }: Row, version: number, number: number): Row =>
  ({ table, row: { ...row, ...SAMPLES[table].fields(number), version } }) as Row

/** A change that writes these rows. */
export const writing = (...rows: ReadonlyArray<Row>): Change => ({ ...change(issuedToken()), rows })

/** A token with this id has the same digest each time, so that it can be written again. */
function aOneTimeTokenOf({ id = newId() }: Readonly<{ id?: string }>): OneTimeToken {
  return aOneTimeToken({ id, digest: `digest of ${id}` })
}
