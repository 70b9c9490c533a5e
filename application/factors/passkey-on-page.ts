import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Factor } from '../../domain/factor.ts'
import type { Field, Invalid } from '../../domain/field.ts'
import { type PageVisitor, SECURITY_PAGE } from '../../domain/page-visitor.ts'
import { CHALLENGES_FOR } from '../../domain/passkey.ts'
import {
  type AssertionOptions,
  type RegistrationOptions,
  secondFactorOptions,
  signInOptions,
} from '../../domain/passkey-options.ts'
import type { PasskeySignInProblem } from '../../domain/passkey-sign-in.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { pageKeys, signInKeys } from '../throttling/throttle-key.ts'
import type { OwnFactors } from './change-own-factors.ts'
import { newChallenge, type PasskeysOfPages } from './passkey-ceremony.ts'
import { provePasskeyAlone } from './prove-passkey-alone.ts'
import { newRegistration } from './start-passkey-enrolment.ts'

/** What a button of the page asks the browser for: the method of `navigator.credentials`, and its options. */
export type PageCeremony = Readonly<
  { method: 'create'; options: RegistrationOptions } | { method: 'get'; options: AssertionOptions }
>

type Challenging = Readonly<{ clock: Clock; random: Random; passkeys: PasskeysOfPages }>

/** Returns what challenges of a second step on the page are made for. Each proof of a password has its own. */
export const secondStepSubject = ({ user, provedAtMs }: PageVisitor): SealedFor =>
  CHALLENGES_FOR.secondFactorOnPage({ page: SECURITY_PAGE, user, provedAtMs })

/** Returns the ceremony of a sign-in with a passkey alone. It is the same for all users. */
export const signInCeremony = ({ passkeys, ...dependencies }: Challenging): PageCeremony => ({
  method: 'get',
  options: signInOptions(
    newChallenge(dependencies, passkeys, CHALLENGES_FOR.signIn(SECURITY_PAGE)),
    passkeys.rpId,
  ),
})

/** Returns the ceremony of a second step: undefined if the visitor has no passkey. */
export const secondStepCeremony = (
  { passkeys, ...dependencies }: Challenging,
  visitor: PageVisitor,
  factors: ReadonlyArray<Factor>,
): PageCeremony | undefined =>
  factors.some(({ kind }) => kind === 'passkey')
    ? {
        method: 'get',
        options: secondFactorOptions({
          challenge: newChallenge(dependencies, passkeys, secondStepSubject(visitor)),
          rpId: passkeys.rpId,
          factors,
        }),
      }
    : undefined

/** Returns the ceremony of a registration, for a visitor who may enrol a factor. */
export const registrationCeremony = (
  { passkeys, ...dependencies }: Challenging,
  own: OwnFactors<PageVisitor>,
): PageCeremony => ({ method: 'create', options: newRegistration(dependencies, passkeys, own) })

/**
 * Lets a passkey that verified its user prove them, without a password. Only its use is recorded: no session opens. All refusals look the
 * same to the visitor.
 */
export type ProvePasskey = (
  context: RequestContext,
  credential: Field,
) => TE.TaskEither<Invalid<PasskeySignInProblem> | Throttled | Overloaded | StoreUnavailable, PageVisitor>

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor'>
  clock: Clock
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: PasskeysOfPages
}>

export const provePasskey =
  (dependencies: Dependencies): ProvePasskey =>
  (context, credential) =>
    provePasskeyAlone(
      dependencies,
      {
        context,
        actor: { kind: 'nobody' },
        network: pageKeys(context),
        credential,
        passkeys: dependencies.passkeys,
        about: CHALLENGES_FOR.signIn(SECURITY_PAGE),
      },
      ({ user, used }) =>
        pipe(
          withThrottle(dependencies.throttle, signInKeys(user.id, pageKeys(context)), {
            check: pipe(
              dependencies.record(
                [{ _tag: 'FactorUsed', user, ...used }],
                { kind: 'user', id: user.id },
                context,
              ),
              neverFailsWith('EmailTaken'),
            ),
            isSuccess: () => false,
          }),
          TE.map(
            (): PageVisitor => ({
              kind: 'visitor',
              user,
              methods: 'verified_passkey',
              provedAtMs: dependencies.clock(),
            }),
          ),
        ),
    )
