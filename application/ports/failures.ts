/**
 * Failures that several ports and use cases share.
 *
 * The testkit has no contract for these types. The contracts of the ports that answer them expect them.
 */

/** The service has too much work. Nothing was done. The same request may succeed later. */
export type Overloaded = Readonly<{ _tag: 'Overloaded'; retryAfterSeconds: number }>

/** The service cannot check the password now. Nothing was done. The same request may succeed later. `reason` contains no secret. */
export type PasswordCheckUnavailable = Readonly<{ _tag: 'PasswordCheckUnavailable'; reason: string }>

/** The client disconnected before the work started. Nothing was done. */
export type Abandoned = Readonly<{ _tag: 'Abandoned' }>
