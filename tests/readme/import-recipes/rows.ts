/** The password of most users of the examples. */
export const PASSWORD = 'nine purple otters sing'

/** A salt that another system could have chosen. */
export const SALT = Buffer.from('0f1e2d3c4b5a69788796a5b4c3d2e1f0', 'hex')

/** Rows of a table, as JSON. */
export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The tables of another system, and their rows by table. */
export type Tables = Readonly<{ schema: string; rows: Readonly<Record<string, Rows>> }>

/** The SQL for PostgreSQL that makes the tables with their rows. */
export const sqlOf = ({ schema, rows }: Tables): string =>
  [
    schema,
    ...Object.entries(rows).map(
      ([table, of]) =>
        `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $rows$${JSON.stringify(of)}$rows$);`,
    ),
  ].join('\n')

/** A UUID for each number from 0 to 15. */
export const uuidOf = (number: number): string => `1111111${number.toString(16)}-2222-4333-8444-555555555555`

/** A user that the import made: with an id that it chose if `id` is missing. */
export type Imported = Readonly<{
  email: string
  id?: string
  isVerified?: boolean
  createdAt: string
  /** If it is not `PASSWORD`. */
  password?: string
  /** The secrets of the authenticator apps, in base32. */
  totp?: ReadonlyArray<string>
  /** A password that signed in at the other system only. */
  lost?: string
}>

/** What an import by a recipe does. */
export type Expected = Readonly<{
  imported: ReadonlyArray<Imported>
  /** The messages of the recipe. */
  skipped: ReadonlyArray<string>
  known: number
  /** The numbers of the lines that the import refuses, and the beginning of each reason. */
  bad: ReadonlyArray<readonly [line: number, reason: string]>
}>

/** The reason for a record in an unknown format. */
export const UNKNOWN_FORMAT = '"password_hash": A record must begin with'
