import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type InsufficientAuthentication, provedForEnrolment, type UserCaller } from '../../domain/access.ts'
import { type EnrolmentStartProblem, validateEnrolmentStart } from '../../domain/factor-enrolment.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { PASSKEY_SECONDS } from '../../domain/passkey.ts'
import { type RegistrationOptions, registrationOptions } from '../../domain/passkey-options.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { newChallenge, type Passkeys, type PasskeysOff, requirePasskeysOf } from './passkey-ceremony.ts'
import { registrationSubject } from './verify-passkey-enrolment.ts'

/** Makes the options of a registration (docs/second-factor.md). Nothing is stored, and an abandoned one changes nothing. */
export type StartPasskeyEnrolment = (
  caller: UserCaller,
) => TE.TaskEither<
  Invalid<EnrolmentStartProblem> | InsufficientAuthentication | PasskeysOff | StoreUnavailable,
  StartedPasskeyEnrolment
>

export type StartedPasskeyEnrolment = Readonly<{ options: RegistrationOptions; expiresInSeconds: number }>

type Dependencies = Readonly<{ store: Pick<Store, 'listFactors'>; clock: Clock; random: Random }>

export const startPasskeyEnrolment =
  (dependencies: Dependencies & Readonly<{ passkeys: Passkeys | undefined }>): StartPasskeyEnrolment =>
  (caller) =>
    pipe(
      requirePasskeysOf(dependencies.passkeys, caller),
      TE.chainW((passkeys) => startRegistration(dependencies, passkeys, caller)),
    )

const startRegistration = (
  dependencies: Dependencies,
  passkeys: Passkeys,
  caller: UserCaller,
): TE.TaskEither<
  Invalid<EnrolmentStartProblem> | InsufficientAuthentication | StoreUnavailable,
  StartedPasskeyEnrolment
> =>
  pipe(
    dependencies.store.listFactors(caller.user.id),
    TE.chainFirstEitherKW((factors) => provedForEnrolment(caller, factors, dependencies.clock() / 1000)),
    TE.chainEitherKW((factors) =>
      pipe(
        validateEnrolmentStart(caller.user, factors),
        E.bimap(invalid, () => ({
          options: registrationOptions({
            challenge: newChallenge(dependencies, passkeys, registrationSubject(caller)),
            rpId: passkeys.rpId,
            rpName: passkeys.rpName,
            user: caller.user,
            factors,
          }),
          expiresInSeconds: PASSKEY_SECONDS,
        })),
      ),
    ),
  )
