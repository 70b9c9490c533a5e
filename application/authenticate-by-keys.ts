import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { authorize, type CallerOf, type InsufficientScope, type Operation } from '../domain/access.ts'
import type { ApplicationTokenRequest } from '../domain/application-token.ts'
import type { AuthenticateApplication, KeysRefused } from './authenticate-application.ts'
import type { RequestContext } from './recording/recorder.ts'

/**
 * As `Authenticate`, of an application that shows its key pair instead of a token: it may do all that its tokens may.
 */
export type AuthenticateByKeys = <O extends Operation>(
  call: RequestContext,
  operation: O,
  keys: ApplicationTokenRequest,
) => TE.TaskEither<KeysRefused | InsufficientScope, CallerOf<O>>

export const authenticateByKeys =
  ({
    authenticateApplication,
  }: Readonly<{ authenticateApplication: AuthenticateApplication }>): AuthenticateByKeys =>
  (call, operation, keys) =>
    pipe(
      authenticateApplication(call, keys),
      TE.chainEitherKW(({ application }) =>
        authorize(operation, { kind: 'application', application, scope: application.scope }),
      ),
    )
