import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { ACCESS, type CallerOf, type Permission, type Requirement } from '../../../domain/access.ts'
import type { BodyFailure, ReadBody } from '../request/body.ts'
import { bearerToken, type Request } from '../request/request.ts'
import type { FailureKind, FailureOf } from './failures.ts'

/** Who may call an operation, as its description shows it. */
export type Access = Readonly<{
  /** The token that the operation takes; absent if it takes none. */
  required?: Requirement
  /** Whether an application may send its API keys. */
  acceptsClientCredentials?: true
  /** The failures that every operation with this access can have. */
  failures: ReadonlyArray<FailureKind>
}>

/**
 * Lets a request in, and returns its caller and the fields of its body. It decides which of them comes first.
 *
 * `Form` are the fields that the guard reads itself. Its failures are `Own`, which the description gets from here, and `Others`, which
 * the operation lists.
 */
export type Guard<
  Caller,
  Form = unknown,
  Own extends FailureKind = never,
  Others extends FailureKind = never,
> = Access &
  Readonly<{
    failures: ReadonlyArray<Own>
    admit: <Fields extends Form>(
      request: Request,
      readBody: ReadBody<Fields>,
    ) => TaskEither<FailureOf<Own | Others> | BodyFailure, Admitted<Caller, Fields>>
  }>

export type Admitted<Caller, Fields> = Readonly<{ caller: Caller; fields: Fields }>

/** The operation needs no credentials. */
export const PUBLIC: Guard<undefined> = {
  failures: [],
  admit:
    ({ message }, readBody) =>
    async () => {
      const fields = await readBody(message)()
      return E.isLeft(fields) ? fields : E.right({ caller: undefined, fields: fields.right })
    },
}

/** The failures of a token for an operation that needs no fresh token. */
export const TOKEN_FAILURES = [
  'NoToken',
  'InvalidToken',
  'InsufficientScope',
  'Throttled',
  'StoreUnavailable',
] as const

const FRESH_TOKEN_FAILURES = [...TOKEN_FAILURES, 'InsufficientAuthentication'] as const

export type TokenFailure = (typeof FRESH_TOKEN_FAILURES)[number]

/** The guard of an operation with a token. */
export type TokenGuard<Caller> = Guard<Caller, unknown, TokenFailure> &
  Readonly<{ callerOf: (request: Request) => TaskEither<FailureOf<TokenFailure>, Caller> }>

/** The request has a Bearer token that permits the operation. The server reads the body only then. */
export const byToken = <P extends Permission>(
  authenticate: Authenticate,
  permission: P,
): TokenGuard<CallerOf<P>> => {
  const callerOf: TokenGuard<CallerOf<P>>['callerOf'] = ({ message, context }) => {
    const token = bearerToken(message)
    return E.isLeft(token) ? async () => token : authenticate(context, permission, token.right)
  }
  const required: Requirement = ACCESS[permission]
  return {
    required,
    failures: required.kind === 'user' && required.fresh === true ? FRESH_TOKEN_FAILURES : TOKEN_FAILURES,
    callerOf,
    admit: (request, readBody) => async () => {
      const caller = await callerOf(request)()
      if (E.isLeft(caller)) return caller
      const fields = await readBody(request.message)()
      return E.isLeft(fields) ? fields : E.right({ caller: caller.right, fields: fields.right })
    },
  }
}
