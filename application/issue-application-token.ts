import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { applicationIdOf, isPrivateApiKey } from '../domain/api-key.ts'
import { type Application, liveKey, scopeText } from '../domain/application.ts'
import {
  type ApplicationTokenProblem,
  type ApplicationTokenRequest,
  judgeApplicationTokenRequest,
} from '../domain/application-token.ts'
import type { ApplicationTokenRefusal } from '../domain/event.ts'
import type { ApplicationTokenClaims } from '../domain/token.ts'
import type { Fact } from './facts.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { CurrentKeyring } from './keyring.ts'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { Refusals } from './ports/refusals.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, KeyUnusable } from './ports/token-format.ts'
import { type Call, type Recorder, ruledOut } from './recorder.ts'
import type { CallerFailed, Throttled } from './throttle.ts'

/** The keys are there, but they are not a live pair. */
export type NotALivePair = Readonly<{ _tag: 'NotALivePair' }>

/** Seed §4.1: an application shows its key pair and gets a token. */
export type IssueApplicationToken = (
  call: Call,
  request: ApplicationTokenRequest,
) => TaskEither<
  Invalid<ApplicationTokenProblem> | NotALivePair | Throttled | KeyUnusable | StoreUnavailable,
  { token: string }
>

export const issueApplicationToken = (
  store: Pick<Store, 'findApplication'>,
  tokens: ApplicationTokens,
  keyring: CurrentKeyring,
  clock: Clock,
  random: Random,
  digests: Digests,
  record: Recorder,
  refusals: Refusals,
  callerFailed: CallerFailed,
  settings: Readonly<{ issuer: string; applicationTokenTtlSeconds: number }>,
): IssueApplicationToken => {
  /**
   * The application whose pair this is, and which of its keys. An unknown public key is compared with digests that no key
   * has, so that it costs what a wrong private key costs.
   */
  const authenticated = async (
    publicApiKey: string,
    privateApiKey: string,
    call: Call,
  ): Promise<E.Either<NotALivePair | StoreUnavailable, { application: Application; keyId: string }>> => {
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
    const live = liveKey(application, equals, clock() / 1000)
    return E.isLeft(live)
      ? refuse(call, live.left, application.id)
      : E.right({ application, keyId: live.right })
  }

  const refuse = (
    call: Call,
    reason: ApplicationTokenRefusal,
    applicationId?: string,
  ): E.Either<NotALivePair, never> => {
    refusals.note({ _tag: 'ApplicationTokenRefused', applicationId, reason }, { kind: 'nobody' }, call)
    return NOT_A_LIVE_PAIR
  }

  const claimsFor = ({ id, scope }: Application): ApplicationTokenClaims => {
    const iat = Math.floor(clock() / 1000)
    return {
      iss: settings.issuer,
      sub: id,
      client_id: id,
      aud: settings.issuer,
      iat,
      exp: iat + settings.applicationTokenTtlSeconds,
      jti: random.uuid(),
      scope: scopeText(scope),
    }
  }

  return (call, request) => async () => {
    const judged = judgeApplicationTokenRequest(request)
    if (E.isLeft(judged)) {
      refuse(call, 'missing_field')
      return E.left(invalid(judged.left))
    }
    const found = await authenticated(judged.right.publicApiKey, judged.right.privateApiKey, call)
    if (E.isLeft(found)) return found.left._tag === 'NotALivePair' ? callerFailed(found.left, call) : found
    const { application, keyId } = found.right
    const { id } = application
    const claims = claimsFor(application)
    const keys = await keyring()
    if (E.isLeft(keys)) return keys
    const signed = await tokens.sign(claims, keys.right.application.signing)()
    if (E.isLeft(signed)) return signed
    const issued: Fact = {
      _tag: 'ApplicationTokenIssued',
      applicationId: id,
      keyId,
      tokenId: claims.jti,
      expiresAtSeconds: claims.exp,
    }
    const recorded = await record([issued], { kind: 'application', id }, call)()
    return E.isLeft(recorded)
      ? E.left(ruledOut(recorded.left, 'Conflict', 'EmailTaken'))
      : E.right({ token: signed.right })
  }
}

const NOT_A_LIVE_PAIR = E.left<NotALivePair>({ _tag: 'NotALivePair' })

/** As long as a SHA-256 in hexadecimal, and equal to none. */
const NO_DIGEST = '-'.repeat(64)
