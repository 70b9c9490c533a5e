/** `none`: nothing was changed. `unknown`: the change was made completely or not at all (docs/clients.md). */
export type Outcome = 'none' | 'unknown'

type Details = Readonly<{
  status?: number | undefined
  /** Seconds. */
  retryAfter?: number | undefined
  requestId?: string | undefined
}>

/** The service did not answer, or said that it cannot. */
export class PortcullisUnavailable extends Error {
  override readonly name = 'PortcullisUnavailable'
  readonly outcome: Outcome
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined
  /** After how many seconds the service expects to answer; undefined if it did not say so. */
  readonly retryAfter: number | undefined
  /** The id of the request in the log of the service; undefined without an answer. */
  readonly requestId: string | undefined

  constructor(message: string, outcome: Outcome, { status, retryAfter, requestId }: Details = {}) {
    super(message)
    this.outcome = outcome
    this.status = status
    this.retryAfter = retryAfter
    this.requestId = requestId
  }
}

/** The API keys are not valid. Nothing was changed. */
export type WrongApiKeys = Error & Readonly<{ name: 'WrongApiKeys' }>

/** The service refused a request that no form can correct: a mistake of the program or of the settings. Nothing was changed. */
export type RequestRefused = Error &
  Readonly<{ name: 'RequestRefused'; status: number; requestId: string | undefined }>

/** A user token is of this service, which calls itself otherwise than `verify` expects. */
export type WrongIssuer = Error & Readonly<{ name: 'WrongIssuer' }>

/**
 * The feed cannot continue at this cursor (docs/events-feed.md). Discard what you derived from it, and read from the beginning.
 * `epoch` is the current epoch of the log. `first` is the position of its first event; undefined in an empty log.
 */
export type CursorEnded = Error & Readonly<{ name: 'CursorEnded'; epoch: string; first: number | undefined }>

export const wrongApiKeys = (): WrongApiKeys =>
  named('WrongApiKeys', 'Portcullis refused the API keys. Check publicApiKey and privateApiKey.', {})

export const requestRefused = (
  status: number,
  message: string,
  requestId: string | undefined,
): RequestRefused =>
  named('RequestRefused', `Portcullis answered ${status}: ${message}`, { status, requestId })

/** @param actual what the service calls itself */
export const wrongIssuer = (expected: string, actual: string): WrongIssuer =>
  named(
    'WrongIssuer',
    `The PUBLIC_URL of the service is ${actual}, and this program expects tokens of ${expected}. Set the option issuer to ${actual}, or correct PUBLIC_URL.`,
    {},
  )

export const cursorEnded = (epoch: string, first: number | undefined): CursorEnded =>
  named('CursorEnded', 'The feed cannot continue at this cursor. Read from the beginning, without after.', {
    epoch,
    first,
  })

/** The error in place of a refusal that says only "not now", such as `throttled`. */
export const refusedForNow = ({
  problems: [{ message, code }],
  retryAfter,
}: Readonly<{
  problems: readonly [Readonly<{ message: string; code: number }>, ...ReadonlyArray<unknown>]
  retryAfter?: number
}>): PortcullisUnavailable => new PortcullisUnavailable(message, 'none', { status: code, retryAfter })

/** A program tells these errors apart by `name`. */
const named = <Name extends string, More extends object>(name: Name, message: string, more: More) =>
  Object.assign(new Error(message), { name, ...more })
