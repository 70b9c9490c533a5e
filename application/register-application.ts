import { pipe } from 'fp-ts/lib/function.js'
import { none } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  PRIVATE_KEY_BYTES,
  type PrivateApiKey,
  type PublicApiKey,
  privateApiKey,
  publicApiKey,
} from '../domain/api-key.ts'
import {
  type Application,
  type ApplicationProblem,
  type ApplicationRequest,
  validateApplication,
} from '../domain/application.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Digests, Random } from './ports/environment.ts'
import type { StoreUnavailable } from './ports/store.ts'
import type { Unwritten } from './recording/facts.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'

/** An application and its key pair. The private key is nowhere else: only its digest is kept. */
export type NewApplication = Readonly<{
  application: Unwritten<Application>
  publicApiKey: PublicApiKey
  privateApiKey: PrivateApiKey
}>

/** An operator registers an application. */
export type RegisterApplication = (
  call: RequestContext,
  request: ApplicationRequest,
) => TE.TaskEither<Invalid<ApplicationProblem> | StoreUnavailable, NewApplication>

export const registerApplication =
  ({
    random,
    digests,
    record,
  }: Readonly<{ random: Random; digests: Digests; record: Recorder }>): RegisterApplication =>
  (call, request) =>
    pipe(
      TE.fromEither(validateApplication(request)),
      TE.mapLeft(invalid),
      TE.map(newApplication(random, digests)),
      TE.chainFirstW(({ application }) =>
        pipe(
          record([{ _tag: 'ApplicationRegistered', application }], { kind: 'operator' }, call),
          cannotMeet('Conflict', 'EmailTaken'),
        ),
      ),
    )

/** An application with a new key pair, not written yet. */
export const newApplication =
  (random: Random, digests: Digests) =>
  (described: Pick<Application, 'name' | 'scope'>): NewApplication => {
    const id = random.uuid()
    const { secret, ...key } = newPrivateKey(random, digests)
    return {
      application: {
        ...described,
        id,
        keyId: key.id,
        keyDigest: key.digest,
        previousKey: none,
        revoked: false,
      },
      publicApiKey: publicApiKey(id),
      privateApiKey: secret,
    }
  }

/** A new private key, and what is kept of it. */
export const newPrivateKey = (
  random: Random,
  digests: Digests,
): Readonly<{ id: string; digest: string; secret: PrivateApiKey }> => {
  const secret = privateApiKey(random.bytes(PRIVATE_KEY_BYTES))
  return { id: random.uuid(), digest: digests.sha256(secret), secret }
}
