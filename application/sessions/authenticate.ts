import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  authorize,
  type CallerOf,
  type InsufficientAuthentication,
  type InsufficientScope,
  type Permission,
} from '../../domain/access.ts'
import type { Clock } from '../ports/environment.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { CallerFailed, Throttled } from '../throttling/throttle.ts'
import type { ValidateToken } from './validate-token.ts'

/**
 * Returns the caller that a Bearer token belongs to, if it has `permission`.
 *
 * Every fault of a token is an `InvalidToken`. Only an otherwise valid token can be `InsufficientScope` or
 * `InsufficientAuthentication`.
 */
export type Authenticate = <P extends Permission>(
  context: RequestContext,
  permission: P,
  token: string,
) => TaskEither<
  InvalidToken | InsufficientScope | InsufficientAuthentication | Throttled | StoreUnavailable,
  CallerOf<P>
>

/** Plain steps, as in `validateToken`: every request takes this path. */
export const authenticate =
  ({
    validateToken,
    callerFailed,
    clock,
  }: Readonly<{ validateToken: ValidateToken; callerFailed: CallerFailed; clock: Clock }>): Authenticate =>
  (context, permission, token) =>
  async () => {
    const active = await validateToken(token)()
    if (E.isRight(active)) return authorize(permission, active.right.caller, clock() / 1000)
    switch (active.left._tag) {
      case 'InactiveToken': // the client sees no difference, but expired tokens are common and no guesses
        return E.left({ _tag: 'InvalidToken' })
      case 'InvalidToken':
        return callerFailed(active.left, context)
      case 'StoreUnavailable':
        return E.left(active.left)
    }
  }
