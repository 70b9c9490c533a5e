import { left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import { CHALLENGES_FOR, PASSKEY_SECONDS } from '../../domain/passkey.ts'
import { type AssertionOptions, signInOptions } from '../../domain/passkey-options.ts'
import { type LabelledPasskeySignInProblem, malformedLabelProblems } from '../../domain/passkey-sign-in.ts'
import { isPossibleLabel } from '../../domain/sign-in.ts'
import {
  newChallenge,
  type Passkeys,
  type PasskeysOff,
  requirePasskeysAt,
} from '../factors/passkey-ceremony.ts'
import { provePasskeyAlone } from '../factors/prove-passkey-alone.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { endUserKeys } from '../throttling/throttle-key.ts'
import { openSession, type SignedIn } from './open-session.ts'

/** Makes the options of a sign-in with a passkey alone (docs/second-factor.md). They tell nothing about any account, and nothing is stored. */
export type StartPasskeySignIn = (caller: ApplicationCaller) => TE.TaskEither<PasskeysOff, StartedAssertion>

export type StartedAssertion = Readonly<{ options: AssertionOptions; expiresInSeconds: number }>

export const startPasskeySignIn =
  (
    dependencies: Readonly<{ clock: Clock; random: Random; passkeys: Passkeys | undefined }>,
  ): StartPasskeySignIn =>
  ({ application }) =>
    pipe(
      requirePasskeysAt(dependencies.passkeys, application),
      TE.map((passkeys) => ({
        options: signInOptions(
          newChallenge(dependencies, passkeys, CHALLENGES_FOR.signIn(application.id)),
          passkeys.rpId,
        ),
        expiresInSeconds: PASSKEY_SECONDS,
      })),
    )

/**
 * Signs a user in with a passkey that verified its user. No password is needed, and the session is of assurance level 2.
 *
 * Of several concurrent uses of one answer one succeeds. All refusals look the same to the caller; the log tells them apart.
 */
export type CompletePasskeySignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: Readonly<{ credential: Field; label?: Field; remember?: boolean }>,
) => TE.TaskEither<Failure, SignedIn>

type Failure =
  | Invalid<LabelledPasskeySignInProblem>
  | PasskeysOff
  | Throttled
  | KeyUnusable
  | Overloaded
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor' | 'listSessions' | 'findSession'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  settings: LifetimeSettings
}>

export const completePasskeySignIn =
  (dependencies: Dependencies): CompletePasskeySignIn =>
  (context, { application }, { credential, label, remember = false }) => {
    const actor = { kind: 'application', id: application.id } as const
    const opening = {
      ...dependencies,
      write: (written: Parameters<Recorder>[0]) =>
        pipe(dependencies.record(written, actor, context), neverFailsWith('EmailTaken')),
    }
    return pipe(
      requirePasskeysAt(dependencies.passkeys, application),
      TE.chainFirstEitherKW(() => {
        if (isPossibleLabel(label)) return right(undefined)
        const refusal = { _tag: 'SignInRefused', userId: undefined, reason: 'invalid_label' } as const
        dependencies.refusals.note(refusal, actor, context)
        return left(invalid(malformedLabelProblems(credential)))
      }),
      TE.chainW((passkeys) =>
        provePasskeyAlone(
          dependencies,
          {
            context,
            actor,
            network: endUserKeys(context, application.id),
            application,
            credential,
            passkeys,
            about: CHALLENGES_FOR.signIn(application.id),
          },
          ({ user, used }) =>
            openSession(opening, {
              user,
              application,
              label: isPresent(label) ? some(label) : none,
              remember,
              methods: 'verified_passkey',
              context,
              used,
            }),
        ),
      ),
    )
  }
