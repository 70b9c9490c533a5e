import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import {
  isCompleteRegistration,
  type RegistrationRequest,
  registrationCode,
} from '../../domain/registration.ts'
import { isEmail } from '../../domain/user.ts'
import { type RequestMails, requestMailKeys } from '../mail/request-mails.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { registrationKeys, type ThrottleKey } from '../throttling/throttle-key.ts'
import type { Registered, RegisterUser, RegistrationFailure } from './register-user.ts'

/**
 * Registers a user. Registrations by an application have a limit for each network of end users, and their refusals are noted
 * (docs/contract.md §1.9).
 */
export type RegisterWithinLimit = (
  context: RequestContext,
  request: RegistrationRequest,
  actor: Actor,
) => TE.TaskEither<RegistrationFailure | Throttled, Registered>

type Dependencies = Readonly<{
  registerUser: RegisterUser
  refusals: Refusals
  throttle: Throttle
  /** For each application and network of end users. 0 is no limit. */
  registrationsPerHour: number
  mails?: RequestMails | undefined
}>

export const registerWithinLimit =
  ({ registerUser, refusals, throttle, registrationsPerHour, mails }: Dependencies): RegisterWithinLimit =>
  (context, request, actor) => {
    const registration = registerUser(context, request, actor)
    if (actor.kind !== 'application') return registration
    const { email = '', sendConfirmation } = request
    const isMailed =
      mails !== undefined && sendConfirmation && isCompleteRegistration(request) && isEmail(email)
    const limits: ReadonlyArray<ThrottleKey> = [
      ...(isCompleteRegistration(request)
        ? registrationKeys(context, actor.id, { registrationsPerHour })
        : []),
      ...(isMailed ? requestMailKeys(mails, email) : []),
    ]
    return pipe(
      // Each registered user counts, also while the registration runs.
      withThrottle(throttle, limits, { check: registration, isSuccess: () => false }),
      TE.mapLeft((failure) => {
        const codes = codesOf(failure)
        if (codes !== undefined)
          refusals.note({ _tag: 'RegistrationRefused', applicationId: actor.id, codes }, actor, context)
        return failure
      }),
    )
  }

/** The codes of a refusal; undefined for a failure of the service. A throttled request is not validated, so it has none. */
const codesOf = (failure: RegistrationFailure | Throttled): ReadonlyArray<number> | undefined => {
  if (failure._tag === 'Throttled') return []
  return failure._tag === 'Invalid' ? failure.problems.map(registrationCode).sort((a, b) => a - b) : undefined
}
