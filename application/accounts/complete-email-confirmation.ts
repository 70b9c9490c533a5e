import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import {
  type EmailConfirmationProblem,
  type EmailConfirmationRequest,
  validateEmailConfirmation,
} from '../../domain/email-confirmation.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { isUsable, type OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import { findPresented } from '../recording/one-time-tokens.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'

/**
 * Makes the e-mail of a confirmation token the verified e-mail of its user (docs/account-life.md §3.2). Sessions continue.
 *
 * Of several concurrent uses of a token one succeeds. The others find it used. Returns the application that requested the token.
 */
export type CompleteEmailConfirmation = (
  context: RequestContext,
  request: EmailConfirmationRequest,
) => TE.TaskEither<Invalid<EmailConfirmationProblem> | Overloaded | StoreUnavailable, Application>

type Dependencies = Readonly<{
  store: Pick<Store, 'findOneTimeToken'>
  clock: Clock
  digests: Digests
  record: Recorder
}>

export const completeEmailConfirmation =
  (dependencies: Dependencies): CompleteEmailConfirmation =>
  (context, request) => {
    const read = findPresented(dependencies, 'email_confirmation', request.token)
    const complete = (presented: Option<OneTimeTokenFacts>) =>
      completeOnce(dependencies, { context, request, presented })
    return pipe(read, TE.chainW(retryOnConflict(() => read, complete)))
  }

const completeOnce =
  (
    { clock, record }: Dependencies,
    {
      context,
      request,
      presented,
    }: Readonly<{
      context: RequestContext
      request: EmailConfirmationRequest
      presented: Option<OneTimeTokenFacts>
    }>,
  ): TE.TaskEither<Invalid<EmailConfirmationProblem> | Conflict | StoreUnavailable, Application> =>
  async () => {
    const nowSeconds = clock() / 1000
    const usable = filter((facts: OneTimeTokenFacts) => isUsable(facts, 'email_confirmation', nowSeconds))
    const valid = validateEmailConfirmation(request, usable(presented))
    if (isLeft(valid)) return left(invalid(valid.left))
    const facts = valid.right
    return pipe(
      record([{ _tag: 'EmailConfirmed', ...facts }], { kind: 'user', id: facts.user.id }, context),
      // Another user has taken the e-mail since the start. The message does not show it: the bearer may be a stranger.
      TE.mapLeft((failure) =>
        failure._tag === 'EmailTaken' ? invalid<EmailConfirmationProblem>(['TokenInvalid']) : failure,
      ),
      TE.map(() => facts.application),
    )()
  }
