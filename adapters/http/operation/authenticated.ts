import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { InvalidToken } from '../../../application/ports/token-format.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { Throttled } from '../../../application/throttling/throttle.ts'
import type { CallerOf, InsufficientScope, Operation } from '../../../domain/access.ts'
import type { Request } from '../request/request.ts'
import { bearerToken, type NoToken } from '../request/request.ts'

/** The caller whose token the request has, if the token permits the operation. */
export const authenticated =
  <O extends Operation>(authenticate: Authenticate, operation: O) =>
  ({
    message,
    context,
  }: Request): TE.TaskEither<
    NoToken | InvalidToken | InsufficientScope | Throttled | StoreUnavailable,
    CallerOf<O>
  > => {
    const token = bearerToken(message)
    return E.isLeft(token) ? TE.fromEither(token) : authenticate(context, operation, token.right)
  }
