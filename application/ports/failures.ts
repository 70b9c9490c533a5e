/**
 * Failures that several ports and use cases share.
 *
 * The testkit has no contract for these types. The contracts of the ports that answer them expect them.
 */

export type Conflict = Readonly<{ _tag: 'Conflict' }>
export type EmailTaken = Readonly<{ _tag: 'EmailTaken' }>

/**
 * The store cannot answer now. `reason` tells operators what failed. The service logs it as `cause`, so it contains no secret
 * and no request or stored data.
 *
 * `portcullis_store_errors_total` counts it by class:
 *
 * - a class name itself: `closed`, `full`, `busy`, `unreadable`, `disk`, `connection`, `refused`
 * - a well-known code alone counts under its class: of the system (`ENOSPC`), of SQLite (`SQLITE_BUSY`), of PostgreSQL (`53100`)
 * - everything else counts as `other`
 */
export type StoreUnavailable = Readonly<{ _tag: 'StoreUnavailable'; reason: string; outcome?: 'unknown' }>

/** The service has too much work. Nothing was done. The same request may succeed later. */
export type Overloaded = Readonly<{ _tag: 'Overloaded'; retryAfterSeconds: number }>

/** The service cannot check the password now. Nothing was done. The same request may succeed later. `reason` contains no secret. */
export type PasswordCheckUnavailable = Readonly<{ _tag: 'PasswordCheckUnavailable'; reason: string }>

/** The client disconnected, or the deadline of its request passed, before the work started. Nothing was done. */
export type Abandoned = Readonly<{ _tag: 'Abandoned' }>
