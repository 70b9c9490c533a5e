import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import { isPasskeyAlone } from '../../domain/assurance.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { CHALLENGES_FOR, PASSKEY_SECONDS } from '../../domain/passkey.ts'
import { secondFactorOptions } from '../../domain/passkey-options.ts'
import { isWaiting } from '../../domain/second-factor.ts'
import {
  newChallenge,
  type Passkeys,
  type PasskeysOff,
  type PasskeysOfPages,
  requirePasskeysAt,
  requirePasskeysOf,
} from '../factors/passkey-ceremony.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findPresented } from '../recording/one-time-tokens.ts'
import type { StartedAssertion } from './passkey-sign-in.ts'

type Dependencies = Readonly<{
  store: Pick<Store, 'listFactors'>
  clock: Clock
  random: Random
  passkeys: Passkeys | undefined
}>

/** The problem behind the code of a user without a passkey. */
export type NoPasskey = 'NoPasskey'

type Started<P> = TE.TaskEither<Invalid<P> | StoreUnavailable, StartedAssertion>

/** Makes the options of a step-up with a passkey, for a signed-in user (docs/assurance.md). Nothing is stored. */
export type StartPasskeyStepUp = (
  caller: UserCaller,
) => TE.TaskEither<Invalid<NoPasskey> | PasskeysOff | StoreUnavailable, StartedAssertion>

export const startPasskeyStepUp =
  (dependencies: Dependencies): StartPasskeyStepUp =>
  (caller) =>
    pipe(
      requirePasskeysOf(dependencies.passkeys, caller),
      TE.chainW((passkeys) =>
        optionsFor(dependencies, {
          passkeys,
          userId: caller.user.id,
          about: CHALLENGES_FOR.stepUp(caller.session.id),
          needsVerification: isPasskeyAlone(caller.session),
        }),
      ),
    )

export type PasskeySecondStepProblem = 'TokenMissing' | 'TokenEnded' | NoPasskey

/** Makes the options of a second step with a passkey, for a sign-in that waits (docs/second-factor.md). Nothing is stored. */
export type StartPasskeySecondStep = (
  caller: ApplicationCaller,
  token: Field,
) => TE.TaskEither<Invalid<PasskeySecondStepProblem> | PasskeysOff | StoreUnavailable, StartedAssertion>

export const startPasskeySecondStep =
  (
    dependencies: Dependencies &
      Readonly<{ store: Pick<Store, 'findOneTimeToken' | 'listFactors'>; digests: Digests }>,
  ): StartPasskeySecondStep =>
  ({ application }, sent) => {
    const refuse = (problem: PasskeySecondStepProblem) => TE.left(invalid([problem]))
    return pipe(
      requirePasskeysAt(dependencies.passkeys, application),
      TE.bindTo('passkeys'),
      TE.bindW('presented', () => findPresented(dependencies, 'sign_in', sent)),
      TE.chainW(({ passkeys, presented }): Started<PasskeySecondStepProblem> => {
        if (!isPresent(sent)) return refuse('TokenMissing')
        const waiting = filter(isWaiting(application, dependencies.clock() / 1000))(presented)
        if (isNone(waiting)) return refuse('TokenEnded')
        const { token, user } = waiting.value
        return optionsFor(dependencies, {
          passkeys,
          userId: user.id,
          about: CHALLENGES_FOR.secondFactor(token.id),
          needsVerification: false,
        })
      }),
    )
  }

const optionsFor = (
  dependencies: Dependencies,
  {
    passkeys,
    userId,
    about,
    needsVerification,
  }: Readonly<{ passkeys: PasskeysOfPages; userId: string; about: SealedFor; needsVerification: boolean }>,
): Started<NoPasskey> =>
  pipe(
    dependencies.store.listFactors(userId),
    TE.filterOrElseW(
      (factors) => factors.some(({ kind }) => kind === 'passkey'),
      () => invalid<NoPasskey>(['NoPasskey']),
    ),
    TE.map((factors) => ({
      options: secondFactorOptions({
        challenge: newChallenge(dependencies, passkeys, about),
        rpId: passkeys.rpId,
        factors,
        needsVerification,
      }),
      expiresInSeconds: PASSKEY_SECONDS,
    })),
  )
