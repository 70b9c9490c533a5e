import pg from 'pg'

/** Why PgBouncer refuses a connection. It gives all refusals the SQLSTATE 08P01, so that only its message tells. It translates none. */
export type PoolerRefusal = Readonly<{
  /** For operators. */
  sentence: string
  /** Whether it ends by itself, or when other clients leave. */
  isForNow: boolean
}>

/** What PgBouncer says, if it has refused the connection itself or passes on that the server has. */
export const poolerRefusalOf = (error: unknown): PoolerRefusal | undefined => {
  if (!(error instanceof pg.DatabaseError) || error.code !== '08P01') return undefined
  const found = REFUSALS.find(([message]) => message.test(error.message))
  return found === undefined ? undefined : { sentence: found[1], isForNow: found[2] === 'for now' }
}

/** Whether PgBouncer has all the clients that it may have. It still serves those that it has. */
export const isPoolerFull = (error: unknown): boolean => poolerRefusalOf(error)?.sentence === FULL

const FULL =
  'PgBouncer has no connection left for a client. Raise its max_client_conn, or lower DATABASE_POOL_SIZE.'

/** Versions 1.18 to 1.24. The first match counts. */
const REFUSALS: ReadonlyArray<readonly [message: RegExp, sentence: string, isForNow?: 'for now']> = [
  [
    /^password authentication failed for user/,
    'the server refuses the password that PgBouncer has for this user. Check auth_file or auth_query of PgBouncer.',
  ],
  [
    /^no such user|^"\w+" authentication failed/,
    'PgBouncer does not know this user. Check the user in DATABASE_URL, and auth_file of PgBouncer.',
  ],
  [
    /authentication failed/,
    'PgBouncer refuses this user or password, and does not say which. Check DATABASE_URL, and auth_file or auth_query of PgBouncer.',
  ],
  [
    /^no such database|^database ".*" does not exist/s,
    'no database has this name. Create it (CREATE DATABASE), list it under [databases] of PgBouncer, or name another one in DATABASE_URL.',
  ],
  [
    /^unsupported startup parameter/,
    'PgBouncer refuses a startup parameter. Remove options from DATABASE_URL, unset PGOPTIONS, and use ALTER ROLE … SET instead.',
  ],
  [
    /not allowed in statement pooling mode/,
    'PgBouncer is in statement mode, which has no transactions. Set its pool_mode = transaction.',
  ],
  [/^no more connections allowed/, FULL, 'for now'],
  [
    /^query_wait_timeout/,
    'all connections of PgBouncer to the server are in use. Raise its default_pool_size.',
    'for now',
  ],
]
