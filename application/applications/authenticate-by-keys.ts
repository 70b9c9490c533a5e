import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  authorize,
  type CallerOf,
  type InsufficientAuthentication,
  type InsufficientScope,
  type Permission,
} from '../../domain/access.ts'
import type { ApplicationTokenRequest } from '../../domain/application-token.ts'
import type { Clock } from '../ports/environment.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { AuthenticateApplication, ClientAuthenticationFailure } from './authenticate-application.ts'

/**
 * Authenticates an application by its key pair instead of a token, like `Authenticate`. It may do what its tokens may do.
 */
export type AuthenticateByKeys = <P extends Permission>(
  context: RequestContext,
  permission: P,
  keys: ApplicationTokenRequest,
) => TE.TaskEither<ClientAuthenticationFailure | InsufficientScope | InsufficientAuthentication, CallerOf<P>>

export const authenticateByKeys =
  ({
    authenticateApplication,
    clock,
  }: Readonly<{ authenticateApplication: AuthenticateApplication; clock: Clock }>): AuthenticateByKeys =>
  (context, permission, keys) =>
    pipe(
      authenticateApplication(context, keys),
      TE.chainEitherKW(({ application }) =>
        authorize(permission, { kind: 'application', application, scope: application.scope }, clock() / 1000),
      ),
    )
