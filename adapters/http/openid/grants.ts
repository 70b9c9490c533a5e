import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthenticateClient } from '../oauth/client.ts'
import type { AnswerGrant } from '../oauth/token.ts'
import { authenticateOpenIdClient, clientAnswer } from './clients.ts'
import type { OpenIdLibrary } from './library.ts'
import { formOf } from './par.ts'

/** Exchanges a code, or a refresh token, for tokens of a user (OpenID Connect Core §3.1.3, §12). */
export const answerGrant =
  ({
    authenticate,
    library,
  }: Readonly<{ authenticate: AuthenticateClient; library: OpenIdLibrary }>): AnswerGrant =>
  ({ caller: keys, fields, context }) =>
    pipe(
      authenticateOpenIdClient(authenticate)(context, keys),
      TE.chainW((application) =>
        library.answerClient(context, application, { path: '/oauth2/token', form: formOf(fields) }),
      ),
      TE.chainW(clientAnswer),
    )
