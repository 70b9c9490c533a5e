import pg from 'pg'

/** The server may or may not have done it: the answer was lost. */
export class OutcomeUnknown extends Error {}

/** Too many wait already. */
export class PoolExhausted extends Error {}

/** A standby answered. It may be behind, so that what it said is not used. */
export class Standby extends Error {
  constructor() {
    super('the connection leads to a standby')
  }
}

/** Whether the server refused to write because it is a standby, or set to read only. Nothing was written. */
export const isReadOnly = (error: unknown): boolean => stateOf(error) === '25006'

/** What went wrong in words for operators: what the server or the system calls it, for messages may quote what was written. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof OutcomeUnknown || error instanceof PoolExhausted || error instanceof Standby)
    return error.message
  if (!(error instanceof Error)) return 'an error that PostgreSQL did not name'
  if (error instanceof pg.DatabaseError) return `PostgreSQL says ${error.code ?? 'nothing'}`
  if ('code' in error && typeof error.code === 'string') return error.code
  return (
    DRIVER_MESSAGES.find((known) => error.message.includes(known)) ?? 'the connection to PostgreSQL failed'
  )
}

/** What the server calls an error (SQLSTATE), if it was the server that spoke. */
export const stateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/**
 * Whether the server did nothing because somebody else was faster: in a deadlock, or where it is set to isolate a statement by
 * itself more than READ COMMITTED does.
 */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(stateOf(error) ?? '')

/** Why the system did not let us connect, if it was the system that spoke. */
export const systemCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof pg.DatabaseError) && 'code' in error
    ? String(error.code)
    : undefined

/** What the driver says when it has no code for it. */
const DRIVER_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated unexpectedly',
]

/** Whether the server answered and the connection goes on: not when it said that it closes it, or closes it by saying so. */
export const keepsConnection = (error: unknown): boolean => {
  const state = stateOf(error)
  return state !== undefined && !isFatal(error) && !/^(57P|08|XX|25P0[34])/.test(state)
}

/** What a server says before it ends the connection, where its messages are in a language that says it so. */
const isFatal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ['FATAL', 'PANIC'].includes(error.severity ?? '')

/**
 * Whether the server said that it did not do it. What it says of itself as it goes down tells nothing of a commit: one that it
 * failed to put on its disk it may find there when it is back.
 */
export const isRolledBack = (error: unknown): boolean =>
  keepsConnection(error) && !/^(40003|58)/.test(stateOf(error) ?? '')

/** Whether the connection was found gone. It may have been asked all the same. */
export const isConnectionLost = (error: unknown): boolean =>
  !keepsConnection(error) &&
  (stateOf(error) !== undefined ||
    ['ECONNRESET', 'EPIPE'].includes(systemCodeOf(error) ?? '') ||
    (error instanceof Error && error.message.includes('terminated unexpectedly')))
