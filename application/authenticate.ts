import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { authorize, type CallerOf, type InsufficientScope, type Operation } from '../domain/access.ts'
import type { StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'
import type { RequestContext } from './recording/recorder.ts'
import type { CallerFailed, Throttled } from './throttling/throttle.ts'
import type { ValidateToken } from './validate-token.ts'

/**
 * Who a Bearer token belongs to, when that caller may do `operation`. Whatever is wrong with a token, it is an
 * `InvalidToken`; only one that is good in all else can be `InsufficientScope`.
 */
export type Authenticate = <O extends Operation>(
  call: RequestContext,
  operation: O,
  token: string,
) => TaskEither<InvalidToken | InsufficientScope | Throttled | StoreUnavailable, CallerOf<O>>

/** Plain steps, as in `validateToken`: every request comes through. */
export const authenticate =
  ({
    validateToken: judge,
    callerFailed,
  }: Readonly<{ validateToken: ValidateToken; callerFailed: CallerFailed }>): Authenticate =>
  (call, operation, token) =>
  async () => {
    const live = await judge(token)()
    if (E.isRight(live)) return authorize(operation, live.right.caller)
    switch (live.left._tag) {
      case 'EndedToken': // the same to its bearer, but no guess, and tokens expire every day
        return E.left({ _tag: 'InvalidToken' })
      case 'InvalidToken':
        return callerFailed(live.left, call)
      case 'StoreUnavailable':
        return E.left(live.left)
    }
  }
