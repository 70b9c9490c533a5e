import pg from 'pg'
import { isPoolerFull, poolerRefusalOf } from './pooler.ts'

/** The response was lost: the server may or may not have committed. */
export class OutcomeUnknown extends Error {}

/** Too many queries wait for a connection. */
export class PoolExhausted extends Error {}

/** The driver's message when no connection of the pool became free in time. */
export const WAIT_OVER = 'timeout exceeded when trying to connect'

/** No connection was opened while a query waited for one. */
export class Unreachable extends Error {
  constructor() {
    super(WAIT_OVER)
  }
}

/** The server accepts no more connections, and none of the open ones became free in time. */
export class NoneFree extends Error {}

/** A standby answered. It may lag behind, so its answer is not used. */
export class Standby extends Error {
  constructor() {
    super('the connection leads to a standby')
  }
}

/** `store copy` has closed the store. The message says so, and names the other one. */
export class ClosedByCopy extends Error {}

/** Another primary has replaced this one, which still runs. Its answer is outdated, so it is not used. */
export class OlderTimeline extends Error {
  /** @param found its timeline, if it says so */
  constructor(found: string | null, than: string) {
    super(`the server is on the timeline ${found ?? 'unknown'}, and another one was on ${than}`)
  }
}

/** Another transaction wrote first. The whole batch must be checked again. */
export class WriteRace extends Error {
  constructor() {
    super('too many other writes of the same rows came first')
  }
}

/** The log continues from a copy and needs a new epoch first. Nothing was written. */
export class LogCopied extends Error {
  constructor() {
    super('the log continues from a copy, and its epoch was not renewed')
  }
}

/** The server had no room for a change, and it is not known that it has room again. */
export class NoRoom extends Error {}

/** The one row of `portcullis.head` is not there. */
export class HeadMissing extends Error {
  constructor() {
    super('the head of the log is missing')
  }
}

/** Another transaction kept the head of the log locked. No change of a batch is at fault. Nothing was written. */
export class HeadLocked extends Error {
  /** Runs a query that waits for the head. */
  static ifLate = async <A>(query: Promise<A>): Promise<A> => {
    try {
      return await query
    } catch (error) {
      throw stateOf(error) === LOCK_TIMEOUT ? new HeadLocked(reasonOf(error), { cause: error }) : error
    }
  }
}

/** Whether the server refused to write because it is a standby or read-only. Nothing was written. */
export const isReadOnly = (error: unknown): boolean => stateOf(error) === '25006'

/** Whether the server cannot be used now, though it answers. Nothing was done. */
export const isWrongServer = (error: unknown): boolean =>
  error instanceof Standby || error instanceof OlderTimeline || isReadOnly(error)

/**
 * The reason for operators: the code of the server or of the system. Messages are left out, because they may quote
 * written values.
 */
export const reasonOf = (error: unknown): string => {
  if (OWN_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message
  if (!(error instanceof Error)) return 'an error without a code'
  if (stateOf(error) === CLOSED_BY_COPY) return error.message // of our trigger
  if (error instanceof pg.DatabaseError) return `PostgreSQL says ${error.code ?? 'nothing'}`
  if ('code' in error && typeof error.code === 'string') return error.code
  return (
    DRIVER_MESSAGES.find((known) => error.message.includes(known)) ?? 'the connection to PostgreSQL failed'
  )
}

const OWN_ERRORS = [
  OutcomeUnknown,
  PoolExhausted,
  NoneFree,
  Standby,
  OlderTimeline,
  ClosedByCopy,
  WriteRace,
  LogCopied,
  HeadMissing,
  HeadLocked,
  NoRoom,
]

/** The SQLSTATE of the trigger on the log of a store that `store copy` has closed. */
const CLOSED_BY_COPY = 'PC001'

/** The SQLSTATE, if the error comes from the server. */
export const stateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** Whether the user of the database may not do what was asked. */
export const lacksRight = (error: unknown): boolean => stateOf(error) === '42501'

/**
 * Whether the transaction was rolled back because of a concurrent one: a deadlock, or a serialization failure at an
 * isolation level above READ COMMITTED.
 */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(stateOf(error) ?? '')

/** Whether the server gave up a statement because of its limits. It was rolled back. */
export const isTooSlow = (error: unknown): boolean =>
  [STATEMENT_TIMEOUT, LOCK_TIMEOUT].includes(stateOf(error) ?? '')

const STATEMENT_TIMEOUT = '57014'
export const LOCK_TIMEOUT = '55P03'

/** The code of the operating system, if the error does not come from the server. */
export const systemCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && !(error instanceof pg.DatabaseError) && 'code' in error
    ? String(error.code)
    : undefined

/** Whether the server took longer than a query may take. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(QUERY_TIMEOUT)

const QUERY_TIMEOUT = 'Query read timeout'

/** A query on a connection that an earlier one has found lost. */
export const NO_LONGER_USABLE = 'the connection is no longer usable'

/** Messages of the driver when the connection ended during a query, or before it, and when it was not established in time. */
const LOST_MESSAGES = [
  'Connection terminated unexpectedly',
  'Connection terminated',
  'not queryable',
  'timeout expired',
  NO_LONGER_USABLE,
]

/** Messages of the driver for errors without a code. */
const DRIVER_MESSAGES = [
  WAIT_OVER,
  QUERY_TIMEOUT,
  'Connection terminated due to connection timeout',
  ...LOST_MESSAGES,
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
    (error instanceof Error && LOST_MESSAGES.some((message) => error.message.includes(message))))

/**
 * Whether the server is unreachable, starting or stopping, or accepts no more connections, or a proxy in front of it closes the
 * connection. What was asked outside of a COMMIT was not done.
 */
export const isAway = (error: unknown): boolean => {
  if (error instanceof OutcomeUnknown) return false
  if (error instanceof NoneFree) return true
  const state = stateOf(error)
  if (state !== undefined)
    return isFull(error) || (/^(57P0[123]|08...)$/.test(state) && poolerRefusalOf(error)?.isForNow !== false)
  const isUnreachable = error instanceof Unreachable || UNREACHABLE.includes(systemCodeOf(error) ?? '')
  return (isUnreachable && !isFileError(error)) || isConnectionLost(error)
}

/** Whether the server, the database, the role or the pooler has all the connections that it may have. */
export const isFull = (error: unknown): boolean => stateOf(error) === '53300' || isPoolerFull(error)

const UNREACHABLE = [
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'ENETUNREACH',
  'EHOSTUNREACH',
]

/** An error of a certificate or key file that DATABASE_URL names. */
export const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'open' || error.syscall === 'read')

/** Whether the outcome is unknown because the connection was lost, and not because the server takes long. */
export const isLostAnswer = (error: unknown): error is OutcomeUnknown =>
  error instanceof OutcomeUnknown && isAway(error.cause)
