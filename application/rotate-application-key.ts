import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type PrivateApiKey, type PublicApiKey, publicApiKey } from '../domain/api-key.ts'
import type { Application } from '../domain/application.ts'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from './ports/store.ts'
import { type ApplicationUnknown, toApplication } from './recording/application-by-id.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { newPrivateKey } from './register-application.ts'

/** A revoked application stays revoked: another key would be of no use. */
export type ApplicationRevoked = Readonly<{ _tag: 'ApplicationRevoked' }>

/**
 * An operator gives an application another private key. The old one works beside it for a while, so that whoever holds
 * it can take the new one over without a gap.
 *
 * @param overlapSeconds 0 ends the old key at once
 */
export type RotateApplicationKey = (
  call: RequestContext,
  request: Readonly<{ id: string; overlapSeconds: number }>,
) => TE.TaskEither<ApplicationUnknown | ApplicationRevoked | Overloaded | StoreUnavailable, RotatedKey>

/** The new private key is nowhere else. */
export type RotatedKey = Readonly<{
  id: string
  publicApiKey: PublicApiKey
  privateApiKey: PrivateApiKey
  previousUntilSeconds: number
}>

export const rotateApplicationKey =
  ({
    store,
    clock,
    random,
    digests,
    record,
  }: Readonly<{
    store: Pick<Store, 'findApplication'>
    clock: Clock
    random: Random
    digests: Digests
    record: Recorder
  }>): RotateApplicationKey =>
  (call, { id, overlapSeconds }) => {
    const rotate = (
      application: Application,
    ): TE.TaskEither<ApplicationRevoked | Conflict | StoreUnavailable, RotatedKey> => {
      if (application.revoked) return TE.left({ _tag: 'ApplicationRevoked' })
      const { secret, ...key } = newPrivateKey(random, digests)
      const previousUntilSeconds = Math.floor(clock() / 1000) + overlapSeconds
      return pipe(
        record(
          [{ _tag: 'ApplicationKeyRotated', application, key, previousUntilSeconds }],
          { kind: 'operator' },
          call,
        ),
        cannotMeet('EmailTaken'),
        TE.map(() => ({ id, publicApiKey: publicApiKey(id), privateApiKey: secret, previousUntilSeconds })),
      )
    }

    return toApplication(store, id, rotate)
  }
