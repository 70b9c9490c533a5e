import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import { newMail } from '../../domain/mail.ts'
import { type RegistrationMailProblem, validateRegistrationMail } from '../../domain/registration.ts'
import { putMails, type RequestMails, requestMailKeys } from '../mail/request-mails.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { endUserKeys } from '../throttling/throttle-key.ts'

/**
 * Mails the link of a registration (docs/account-pages.md). The sender of mails looks for an account, and tells its owner if there is one. So
 * this request reads nothing about the account, and takes the same time for every e-mail.
 *
 * @param returnTo where the person goes on after the registration
 */
export type MailRegistration = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: Readonly<{ email: Field; returnTo: Option<string> }>,
) => TE.TaskEither<Invalid<RegistrationMailProblem> | Throttled | Overloaded | StoreUnavailable, void>

type Dependencies = Readonly<{
  mails: RequestMails
  clock: Clock
  random: Random
  refusals: Refusals
  throttle: Throttle
}>

export const mailRegistration =
  ({ mails, clock, random, refusals, throttle }: Dependencies): MailRegistration =>
  (context, caller, request) =>
  async () => {
    const { id: applicationId } = caller.application
    const valid = validateRegistrationMail(request)
    if (isLeft(valid)) return left(invalid(valid.left))
    const email = valid.right
    const mail = newMail(
      {
        id: random.uuid(),
        kind: 'registration',
        userId: none,
        address: email,
        language: fromNullable(context.language),
        applicationId: some(applicationId),
        returnTo: request.returnTo,
      },
      Math.floor(clock() / 1000),
    )
    const keys = [...endUserKeys(context, applicationId), ...requestMailKeys(mails, email)]
    return pipe(
      // Each request counts: the limits protect a mailbox, and bound a network.
      withThrottle(throttle, keys, { check: putMails(mails, context, [mail]), isSuccess: () => false }),
      TE.mapLeft((failure) => {
        if (failure._tag === 'Throttled')
          refusals.note(
            { _tag: 'RegistrationRefused', applicationId, codes: [] },
            { kind: 'application', id: applicationId },
            context,
          )
        return failure
      }),
    )()
  }
