import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { applicationIdOf, isPrivateApiKey } from '../../domain/api-key.ts'
import { type Application, validatePrivateKey } from '../../domain/application.ts'
import {
  type ApplicationTokenProblem,
  type ApplicationTokenRequest,
  validateApplicationTokenRequest,
} from '../../domain/application-token.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { ApplicationTokenRefusal } from '../../domain/refusal-reasons.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { CallerFailed, Throttled } from '../throttling/throttle.ts'

/**
 * Returns the application that a key pair belongs to, and the id of its private key.
 *
 * It notes every refusal. Wrong keys count on the caller's network (docs/contract.md §1.9); missing keys do not.
 */
export type AuthenticateApplication = (
  context: RequestContext,
  keys: ApplicationTokenRequest,
) => TaskEither<ClientAuthenticationFailure, Authenticated>

export type Authenticated = Readonly<{ application: Application; keyId: string }>

export type ClientAuthenticationFailure =
  | Invalid<ApplicationTokenProblem>
  | InvalidClient
  | Throttled
  | StoreUnavailable

/** Both keys are present, but they are not a valid pair. */
export type InvalidClient = Readonly<{ _tag: 'InvalidClient' }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findApplication'>
  clock: Clock
  digests: Digests
  refusals: Refusals
  callerFailed: CallerFailed
}>

/** Plain steps are measurably faster than a pipe here: every token request takes this path. */
export const authenticateApplication =
  (dependencies: Dependencies): AuthenticateApplication =>
  (context, keys) =>
  async () => {
    const valid = validateApplicationTokenRequest(keys)
    if (E.isLeft(valid)) {
      refuse(dependencies.refusals, context, { reason: 'missing_field' })
      return E.left(invalid(valid.left))
    }
    const authenticated = await authenticateKeys(dependencies, context, valid.right)
    return E.isLeft(authenticated) && authenticated.left._tag === 'InvalidClient'
      ? dependencies.callerFailed(authenticated.left, context)
      : authenticated
  }

/** The digest of an unknown application is also compared, so that it takes as long as a wrong private key. */
const authenticateKeys = async (
  { store, clock, digests, refusals }: Dependencies,
  context: RequestContext,
  { publicApiKey, privateApiKey }: Readonly<{ publicApiKey: string; privateApiKey: string }>,
): Promise<E.Either<InvalidClient | StoreUnavailable, Authenticated>> => {
  const id = applicationIdOf(publicApiKey)
  if (O.isNone(id) || !isPrivateApiKey(privateApiKey))
    return refuse(refusals, context, { reason: 'malformed_key' })
  const found = await store.findApplication(id.value)()
  if (E.isLeft(found)) return found
  const application = O.toUndefined(found.right)
  const previous = application && O.toUndefined(application.previousKey)
  const digest = digests.sha256(privateApiKey)
  const equals = {
    current: digests.areEqual(digest, application?.keyDigest ?? NO_DIGEST),
    previous: digests.areEqual(digest, previous?.digest ?? NO_DIGEST),
  }
  if (application === undefined) return refuse(refusals, context, { reason: 'unknown_application' })
  const keyId = validatePrivateKey(application, equals, clock() / 1000)
  return E.isLeft(keyId)
    ? refuse(refusals, context, { reason: keyId.left, applicationId: application.id })
    : E.right({ application, keyId: keyId.right })
}

const refuse = (
  refusals: Refusals,
  context: RequestContext,
  { reason, applicationId }: Readonly<{ reason: ApplicationTokenRefusal; applicationId?: string }>,
): E.Either<InvalidClient, never> => {
  refusals.note({ _tag: 'ApplicationTokenRefused', applicationId, reason }, { kind: 'nobody' }, context)
  return INVALID_CLIENT
}

const INVALID_CLIENT = E.left<InvalidClient>({ _tag: 'InvalidClient' })

/** Has the length of a SHA-256 in hexadecimal, and equals none. */
const NO_DIGEST = '-'.repeat(64)
