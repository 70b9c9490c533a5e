import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { applicationIdOf, isPrivateApiKey } from '../domain/api-key.ts'
import { type Application, scopeText } from '../domain/application.ts'
import {
  type ApplicationTokenProblem,
  type ApplicationTokenRequest,
  judgeApplicationTokenRequest,
} from '../domain/application-token.ts'
import type { ApplicationTokenClaims } from '../domain/token.ts'
import type { Fact } from './facts.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Keyring } from './keyring.ts'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, KeyUnusable } from './ports/token-format.ts'
import { type Call, type Recorder, ruledOut } from './recorder.ts'

/** The keys are there, but they are not a live pair. */
export type NotALivePair = Readonly<{ _tag: 'NotALivePair' }>

/** Seed §4.1: an application shows its key pair and gets a token. */
export type IssueApplicationToken = (
  call: Call,
  request: ApplicationTokenRequest,
) => TaskEither<
  Invalid<ApplicationTokenProblem> | NotALivePair | KeyUnusable | StoreUnavailable,
  { token: string }
>

export const issueApplicationToken = (
  store: Pick<Store, 'findApplication'>,
  tokens: ApplicationTokens,
  keyring: Keyring,
  clock: Clock,
  random: Random,
  digests: Digests,
  record: Recorder,
  settings: Readonly<{ issuer: string; applicationTokenTtlSeconds: number }>,
): IssueApplicationToken => {
  /**
   * The application whose pair this is. An unknown public key is compared with a digest that no key has, so that it
   * costs what a wrong private key costs.
   */
  const authenticated = async (
    publicApiKey: string,
    privateApiKey: string,
  ): Promise<E.Either<NotALivePair | StoreUnavailable, Application>> => {
    const id = applicationIdOf(publicApiKey)
    if (O.isNone(id) || !isPrivateApiKey(privateApiKey)) return NOT_A_LIVE_PAIR
    const found = await store.findApplication(id.value)()
    if (E.isLeft(found)) return found
    const application = O.toUndefined(found.right)
    const matches = digests.areEqual(digests.sha256(privateApiKey), application?.keyDigest ?? NO_DIGEST)
    return matches && application !== undefined ? E.right(application) : NOT_A_LIVE_PAIR
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
    if (E.isLeft(judged)) return E.left(invalid(judged.left))
    const found = await authenticated(judged.right.publicApiKey, judged.right.privateApiKey)
    if (E.isLeft(found)) return found
    const { id, keyId } = found.right
    const claims = claimsFor(found.right)
    const signed = await tokens.sign(claims, keyring.application.signing)()
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
