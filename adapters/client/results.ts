import type { Acr, FactorMethod, Field } from './vocabulary.ts'

/** What every method takes as its last argument. */
export type Options = Readonly<{
  /** Ends the call: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
  /** The IP address of the person who sends the form (docs/clients.md). Throttling then delays the network of an attacker only. */
  endUserAddress?: string | undefined
}>

/** The result of an operation of the application. A success is flat. */
export type Result<Answer> = (Readonly<{ ok: true }> & Answer) | Refused

/** The result of an operation of a signed-in user. */
export type UserResult<Answer> = (Readonly<{ ok: true }> & Answer) | UserRefused

/** What a program decides on. `problems` always has at least one, so that a form shows something. */
export type Refused = InvalidFields | Throttled

/** The same, also with what is wrong with the token of the user. */
export type UserRefused = Refused | InvalidToken | InsufficientScope | InsufficientUserAuthentication

type Problems = Readonly<{ ok: false; problems: readonly [Problem, ...ReadonlyArray<Problem>] }>

/** Fields of the request are wrong: all of them, in `problems`. */
export type InvalidFields = Problems & Readonly<{ refusal?: undefined }>

/** Too many failures or requests. `retryAfter` is the wait in seconds. */
export type Throttled = Problems & Readonly<{ refusal: 'throttled'; retryAfter: number }>

/** The token is invalid, expired or revoked (RFC 6750 §3.1): let the user sign in again. */
export type InvalidToken = Problems & Readonly<{ refusal: 'invalid_token' }>

/** The token is valid, and is not that of a user (RFC 6750 §3.1). */
export type InsufficientScope = Problems & Readonly<{ refusal: 'insufficient_scope' }>

/** No recent proof of the user (RFC 9470): step up. `message` says so if the user cannot. `maxAge` is in seconds. */
export type InsufficientUserAuthentication = Problems &
  Readonly<{ refusal: 'insufficient_user_authentication'; maxAge: number; acr: Acr }>

/** The password is correct, and the sign-in waits for a second factor: call `completeSignIn` with `secondFactor.token`. */
export type SecondFactorDue = Problems &
  Readonly<{
    refusal: 'second_factor'
    secondFactor: Readonly<{
      /** One-time token of the sign-in that waits. */
      token: string
      /** Its lifetime in seconds. */
      expiresIn: number
      /** What the user can prove. Ignore those that you do not know. */
      methods: ReadonlyArray<FactorMethod>
    }>
  }>

/** What is wrong with a field. */
export type Problem = Readonly<{
  /** Its name, such as `newPassword`; empty if the problem is not of one field. A newer service may name another one. */
  field: Field | ''
  reason: Reason
  /** The code of the operation (docs/contract.md), or the HTTP status of a refusal. */
  code: number
  /** Text for people, in English. Its words may change. */
  message: string
}>

/** Why a field or a request was refused. A table `Record<Reason, string>` has the texts of a product. */
export type Reason =
  | 'missing'
  | 'malformed'
  | 'taken'
  | 'unknown'
  | 'disabled'
  | 'ended'
  | 'out_of_range'
  | 'not_combinable'
  | 'wrong_password'
  | 'wrong_code'
  | 'invalid_credential'
  | 'different'
  | 'too_short'
  | 'leaked'
  | 'from_names'
  | 'common'
  | 'guessable'
  | 'refused_by_rule'
  | 'not_fresh'
  | 'email_not_verified'
  | 'too_many_factors'
  | 'too_many_roles'
  | 'no_factor'
  | 'no_passkey'
  | 'no_mail'
  | 'second_factor_due'
  | 'second_factor_missing'
  | 'second_factor_required'
  | 'identity_refused'
  | 'no_verified_email'
  | 'link_first'
  | 'registration_off'
  | 'last_way_in'
  | 'too_large'
  | 'throttled'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  /** A code that this version of the client does not know. */
  | 'other'

/** How the client calls an operation. The table of all operations is short, because it is part of every bundle. */
export type Operation = Readonly<{
  /** POST by default. */
  method?: 'GET' | 'DELETE'
  /** Without a leading slash, it is relative to `/api/v1/`. */
  path: string
  /** The path has no prefix. */
  isAtRoot?: true
  /**
   * What the request carries: a token, or the API keys. By default, `profile…` has the token of a user, and another
   * relative path that of the application.
   */
  token?: 'application' | 'user' | 'keys' | 'none'
  /** Whether the method takes fields: as JSON, in a form, or with GET as a query. By default, those of POST do. */
  takesInput?: boolean
  isForm?: true
  /** What the answer is, if not a JSON object. */
  answer?: 'items' | 'text' | 'bytes' | 'nothing'
  /** The names of the answer belong to another standard. */
  keepsNames?: true
  /** Decides what is repeated. By default, GET reads, and other methods are changes. */
  kind?: 'read' | 'repeatable' | 'once'
  /** The reasons of the codes 1, 2, 3 …, separated by spaces. */
  reasons?: string
}>
