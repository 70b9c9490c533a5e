import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { applicationIdOf, isPrivateApiKey } from '../domain/api-key.ts'
import { type Application, validatePrivateKey } from '../domain/application.ts'
import {
  type ApplicationTokenProblem,
  type ApplicationTokenRequest,
  validateApplicationTokenRequest,
} from '../domain/application-token.ts'
import type { ApplicationTokenRefusal } from '../domain/event.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Clock, Digests } from './ports/environment.ts'
import type { Refusals } from './ports/refusals.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { RequestContext } from './recording/recorder.ts'
import type { CallerFailed, Throttled } from './throttling/throttle.ts'

/** The keys are there, but they are not a live pair. */
export type InvalidClient = Readonly<{ _tag: 'InvalidClient' }>

/** Why a key pair is of no use, to whomever it was shown. */
export type KeysRefused = Invalid<ApplicationTokenProblem> | InvalidClient | Throttled | StoreUnavailable

/**
 * Which application shows its key pair, and which of its keys. What is refused is noted, and counts where the caller is, unless
 * keys are just missing.
 */
export type AuthenticateApplication = (
  call: RequestContext,
  keys: ApplicationTokenRequest,
) => TaskEither<KeysRefused, Readonly<{ application: Application; keyId: string }>>

/** Plain steps, as in `validateToken`. */
export const authenticateApplication = ({
  store,
  clock,
  digests,
  refusals,
  callerFailed,
}: Readonly<{
  store: Pick<Store, 'findApplication'>
  clock: Clock
  digests: Digests
  refusals: Refusals
  callerFailed: CallerFailed
}>): AuthenticateApplication => {
  /** An unknown public key is compared with digests that no key has, so that it costs what a wrong private key costs. */
  const authenticated = async (
    publicApiKey: string,
    privateApiKey: string,
    call: RequestContext,
  ): Promise<E.Either<InvalidClient | StoreUnavailable, { application: Application; keyId: string }>> => {
    const id = applicationIdOf(publicApiKey)
    if (O.isNone(id) || !isPrivateApiKey(privateApiKey)) return refuse(call, 'malformed_key')
    const found = await store.findApplication(id.value)()
    if (E.isLeft(found)) return found
    const application = O.toUndefined(found.right)
    const previous = application && O.toUndefined(application.previousKey)
    const shown = digests.sha256(privateApiKey)
    const equals = {
      current: digests.areEqual(shown, application?.keyDigest ?? NO_DIGEST),
      previous: digests.areEqual(shown, previous?.digest ?? NO_DIGEST),
    }
    if (application === undefined) return refuse(call, 'unknown_application')
    const live = validatePrivateKey(application, equals, clock() / 1000)
    return E.isLeft(live)
      ? refuse(call, live.left, application.id)
      : E.right({ application, keyId: live.right })
  }

  const refuse = (
    call: RequestContext,
    reason: ApplicationTokenRefusal,
    applicationId?: string,
  ): E.Either<InvalidClient, never> => {
    refusals.note({ _tag: 'ApplicationTokenRefused', applicationId, reason }, { kind: 'nobody' }, call)
    return NOT_A_LIVE_PAIR
  }

  return (call, keys) => async () => {
    const judged = validateApplicationTokenRequest(keys)
    if (E.isLeft(judged)) {
      refuse(call, 'missing_field')
      return E.left(invalid(judged.left))
    }
    const found = await authenticated(judged.right.publicApiKey, judged.right.privateApiKey, call)
    return E.isLeft(found) && found.left._tag === 'InvalidClient' ? callerFailed(found.left, call) : found
  }
}

const NOT_A_LIVE_PAIR = E.left<InvalidClient>({ _tag: 'InvalidClient' })

/** As long as a SHA-256 in hexadecimal, and equal to none. */
const NO_DIGEST = '-'.repeat(64)
