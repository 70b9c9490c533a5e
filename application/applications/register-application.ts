import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  PRIVATE_KEY_BYTES,
  type PrivateApiKey,
  type PublicApiKey,
  privateApiKey,
  publicApiKey,
} from '../../domain/api-key.ts'
import {
  type Application,
  type ApplicationProblem,
  type ApplicationRequest,
  validateApplication,
} from '../../domain/application.ts'
import { combineFields, type Invalid, invalid } from '../../domain/field.ts'
import { type LifetimeSettings, type LifetimesProblem, lifetimesProblem } from '../../domain/lifetimes.ts'
import { type OriginRefused, type PasskeySettings, validateOrigins } from '../../domain/passkey-origins.ts'
import {
  type ClientProblem,
  type ClientRequest,
  isSameClient,
  NO_CLIENT,
  validateClient,
} from '../../domain/redirect-uris.ts'
import type { Digests, Random } from '../ports/environment.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Fact, Unwritten } from '../recording/facts.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { inserted, updated } from '../recording/row-versions.ts'

/** Registers an application for an operator. */
export type RegisterApplication = (
  context: RequestContext,
  request: ApplicationRequest & Readonly<{ passkeyOrigins?: ReadonlyArray<string> }> & ClientRequest,
) => TaskEither<
  Invalid<ApplicationProblem | OriginRefused | ClientProblem> | LifetimesProblem | StoreUnavailable,
  NewApplication
>

/** An application and its key pair. The service stores only the digest of the private key. */
export type NewApplication = Readonly<{
  application: Unwritten<Application>
  publicApiKey: PublicApiKey
  privateApiKey: PrivateApiKey
}>

export const registerApplication =
  ({
    random,
    digests,
    record,
    settings,
  }: Readonly<{
    random: Random
    digests: Digests
    record: Recorder
    settings: LifetimeSettings & PasskeySettings
  }>): RegisterApplication =>
  (context, request) =>
  async () => {
    const valid = combine({
      fields: validateApplication(request),
      origins: validateOrigins(request.passkeyOrigins ?? [], settings.passkeyRpId),
      client: validateClient(request),
    })
    if (isLeft(valid)) return left(invalid(valid.left))
    const { fields, origins, client } = valid.right
    const problem = lifetimesProblem(fields, settings)
    if (problem !== undefined) return left(problem)
    const made = newApplication({ random, digests }, fields)
    const facts: NonEmptyArray<Fact> = [{ _tag: 'ApplicationRegistered', application: made.application }]
    let application = inserted(made.application)
    if (origins.length > 0) {
      facts.push({ _tag: 'PasskeyOriginsSet', application, origins })
      application = updated({ ...application, passkeyOrigins: origins })
    }
    if (!isSameClient(client, NO_CLIENT)) facts.push({ _tag: 'RedirectUrisSet', application, client })
    const recorded = await pipe(
      record(facts, operatorOf(context), context),
      neverFailsWith('Conflict', 'EmailTaken'),
    )()
    return isLeft(recorded)
      ? recorded
      : right({ ...made, application: { ...made.application, passkeyOrigins: origins, ...client } })
  }

const combine = combineFields<ApplicationProblem | OriginRefused | ClientProblem>()

/** Makes an application with a new key pair. The caller writes it. */
export const newApplication = (
  { random, digests }: Readonly<{ random: Random; digests: Digests }>,
  fields: Pick<Application, 'name' | 'scope' | 'lifetimes' | 'requiredAssurance' | 'requiresVerifiedEmail'>,
): NewApplication => {
  const id = random.uuid()
  const { secret, ...key } = newPrivateKey(random, digests)
  return {
    application: {
      ...fields,
      id,
      keyId: key.id,
      keyDigest: key.digest,
      previousKey: none,
      passkeyOrigins: [],
      returnUrls: [],
      ...NO_CLIENT,
      revoked: false,
    },
    publicApiKey: publicApiKey(id),
    privateApiKey: secret,
  }
}

/** Makes a private key, its id and the digest to store. */
export const newPrivateKey = (
  random: Random,
  digests: Digests,
): Readonly<{ id: string; digest: string; secret: PrivateApiKey }> => {
  const secret = privateApiKey(random.bytes(PRIVATE_KEY_BYTES))
  return { id: random.uuid(), digest: digests.sha256(secret), secret }
}
