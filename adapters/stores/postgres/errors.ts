import pg from 'pg'

/** The response was lost: the server may or may not have committed. */
export class OutcomeUnknown extends Error {}

/** Too many queries wait for a connection. */
export class PoolExhausted extends Error {}

/** A standby answered. It may lag behind, so its answer is not used. */
export class Standby extends Error {
  constructor() {
    super('the connection leads to a standby')
  }
}

/** Whether the server refused to write because it is a standby or read-only. Nothing was written. */
export const isReadOnly = (error: unknown): boolean => stateOf(error) === '25006'

/**
 * The reason for operators: the code of the server or of the system. Messages are left out, because they may quote
 * written values.
 */
export const reasonOf = (error: unknown): string => {
  if (error instanceof OutcomeUnknown || error instanceof PoolExhausted || error instanceof Standby)
    return error.message
  if (!(error instanceof Error)) return 'an error without a code'
  if (error instanceof pg.DatabaseError) return `PostgreSQL says ${error.code ?? 'nothing'}`
  if ('code' in error && typeof error.code === 'string') return error.code
  return (
    DRIVER_MESSAGES.find((known) => error.message.includes(known)) ?? 'the connection to PostgreSQL failed'
  )
}

/** The SQLSTATE, if the error comes from the server. */
export const stateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/**
 * Whether the transaction was rolled back because of a concurrent one: a deadlock, or a serialization failure at an
 * isolation level above READ COMMITTED.
 */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(stateOf(error) ?? '')

/** The code of the operating system, if the error does not come from the server. */
export const systemCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof pg.DatabaseError) && 'code' in error
    ? String(error.code)
    : undefined

/** Messages of the driver for errors without a code. */
const DRIVER_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated unexpectedly',
]

/** Whether the error leaves the connection usable. */
export const keepsConnection = (error: unknown): boolean => {
  const state = stateOf(error)
  return state !== undefined && !isFatal(error) && !/^(57P|08|XX|25P0[34])/.test(state)
}

/** Whether the server closes the connection after this error. A translated severity is not recognized. */
const isFatal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ['FATAL', 'PANIC'].includes(error.severity ?? '')

/**
 * Whether the server certainly did not commit. Errors of a server that shuts down are uncertain: a commit that it
 * could not flush may be on disk after the restart.
 */
export const isRolledBack = (error: unknown): boolean =>
  keepsConnection(error) && !/^(40003|58)/.test(stateOf(error) ?? '')

/** Whether the connection is lost. The server may have received the query. */
export const isConnectionLost = (error: unknown): boolean =>
  !keepsConnection(error) &&
  (stateOf(error) !== undefined ||
    ['ECONNRESET', 'EPIPE'].includes(systemCodeOf(error) ?? '') ||
    (error instanceof Error && error.message.includes('terminated unexpectedly')))
