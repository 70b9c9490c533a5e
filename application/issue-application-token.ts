import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { applicationIdOf, isPrivateApiKey } from '../domain/api-key.ts'
import { type Application, scopeText } from '../domain/application.ts'
import {
  type ApplicationTokenProblem,
  type ApplicationTokenRequest,
  judgeApplicationTokenRequest,
} from '../domain/application-token.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Keyring } from './keyring.ts'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, KeyUnusable } from './ports/token-format.ts'
import { type Call, cannotMeet, type Recorder } from './recorder.ts'

/** The keys are there, but they are not a live pair. */
export type NotALivePair = Readonly<{ _tag: 'NotALivePair' }>

/** Seed §4.1: an application shows its key pair and gets a token. */
export type IssueApplicationToken = (
  call: Call,
  request: ApplicationTokenRequest,
) => TE.TaskEither<
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
   * An unknown public key is compared with a digest no key has, so that it costs what a wrong private key costs.
   */
  const authenticated = (keys: { publicApiKey: string; privateApiKey: string }) =>
    pipe(
      applicationIdOf(keys.publicApiKey),
      O.filter(() => isPrivateApiKey(keys.privateApiKey)),
      O.match(
        () => TE.right(O.none),
        (id) => store.findApplication(id),
      ),
      TE.map((found) => {
        const digest = pipe(
          found,
          O.match(
            () => NO_DIGEST,
            (application) => application.keyDigest,
          ),
        )
        const matches = digests.areEqual(digests.sha256(keys.privateApiKey), digest)
        return matches ? found : O.none
      }),
      TE.chainW(TE.fromOption((): NotALivePair => ({ _tag: 'NotALivePair' }))),
    )

  const issueTo = (application: Application, call: Call) => {
    const iat = Math.floor(clock() / 1000)
    const exp = iat + settings.applicationTokenTtlSeconds
    const jti = random.uuid()
    const { issuer } = settings
    const claims = {
      iss: issuer,
      sub: application.id,
      client_id: application.id,
      aud: issuer,
      iat,
      exp,
      jti,
      scope: scopeText(application.scope),
    }
    return pipe(
      tokens.sign(claims, keyring.application.signing),
      TE.chainFirstW(() =>
        pipe(
          record(
            [
              {
                _tag: 'ApplicationTokenIssued',
                applicationId: application.id,
                keyId: application.keyId,
                tokenId: jti,
                expiresAtSeconds: exp,
              },
            ],
            { kind: 'application', id: application.id },
            call,
          ),
          cannotMeet('Conflict', 'EmailTaken'),
        ),
      ),
      TE.map((token) => ({ token })),
    )
  }

  return (call, request) =>
    pipe(
      TE.fromEither(judgeApplicationTokenRequest(request)),
      TE.mapLeft(invalid),
      TE.chainW(authenticated),
      TE.chainW((application) => issueTo(application, call)),
    )
}

/** As long as a SHA-256 in hexadecimal, and equal to none. */
const NO_DIGEST = '-'.repeat(64)
