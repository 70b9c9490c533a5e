import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { newMail } from '../../domain/mail.ts'
import {
  type RecoveryMailProblem,
  type RecoveryMailRequest,
  validateRecoveryMail,
} from '../../domain/recovery.ts'
import { isEmail } from '../../domain/user.ts'
import { putMails, type RequestMails, requestMailKeys } from '../mail/request-mails.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { noteThrottledRecovery, recoveryNetworkKeys } from './start-recovery.ts'

/**
 * Mails a recovery link to the owner of an e-mail, if there is an account (docs/account-life.md §2.3). The sender of mails looks for the
 * account, and makes the token. So this request reads nothing about the account, and the application never has the token.
 */
export type MailRecovery = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: RecoveryMailRequest,
) => TE.TaskEither<Invalid<RecoveryMailProblem> | Throttled | Overloaded | StoreUnavailable, void>

type Dependencies = Readonly<{
  mails: RequestMails
  clock: Clock
  random: Random
  refusals: Refusals
  throttle: Throttle
}>

export const mailRecovery =
  ({ mails, clock, random, refusals, throttle }: Dependencies): MailRecovery =>
  (context, caller, request) =>
  async () => {
    const { id: applicationId, returnUrls } = caller.application
    const valid = validateRecoveryMail(request, returnUrls)
    if (isLeft(valid)) return left(invalid(valid.left))
    const { email, language, returnTo } = valid.right
    const mail = newMail(
      {
        id: random.uuid(),
        kind: 'recovery',
        userId: none,
        address: isEmail(email) ? email : NO_ADDRESS,
        language,
        applicationId: some(applicationId),
        returnTo,
      },
      Math.floor(clock() / 1000),
    )
    const keys = [...recoveryNetworkKeys(context, applicationId), ...requestMailKeys(mails, email)]
    return pipe(
      withThrottle(throttle, keys, { check: putMails(mails, context, [mail]), isSuccess: () => false }),
      TE.mapLeft((failure) => {
        if (failure._tag === 'Throttled') noteThrottledRecovery(refusals, { context, caller })
        return failure
      }),
    )()
  }

/**
 * Of the mail for a malformed e-mail, which the sender deletes like one for an unknown e-mail. The mail is written, so that all e-mails
 * cause the same work. The text is not: people type passwords into such fields.
 */
const NO_ADDRESS = ''
