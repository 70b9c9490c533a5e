import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import { type PrivateApiKey, type PublicApiKey, publicApiKey } from '../../domain/api-key.ts'
import type { Application } from '../../domain/application.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import { type ApplicationLookup, changeApplication, type NotNamed } from '../recording/change-application.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { newPrivateKey } from './register-application.ts'

/** The application is revoked, which is permanent. A new key would not work. */
export type ApplicationRevoked = Readonly<{ _tag: 'ApplicationRevoked' }>

/** The service made the application, for its pages. It has no key. */
export type ApplicationKeyless = Readonly<{ _tag: 'ApplicationKeyless' }>

/** The application no longer has the key that was to be replaced. Nothing was changed. */
export type KeyReplaced = Readonly<{ _tag: 'KeyReplaced' }>

/**
 * Gives an application a new private key for an operator. During the overlap the old key works too, so that the application can
 * change keys without an interruption.
 *
 * @param id also a name that no other application has
 * @param overlapSeconds 0 ends the old key at once
 * @param keyId the key to replace, if another one must stay: a form that is sent twice then makes one new key
 */
export type RotateApplicationKey = (
  context: RequestContext,
  request: Readonly<{ id: string; overlapSeconds: number; keyId?: string | undefined }>,
) => TE.TaskEither<
  NotNamed | ApplicationKeyless | ApplicationRevoked | KeyReplaced | Overloaded | StoreUnavailable,
  RotatedKey
>

/** The service does not store the new private key. */
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
    store: ApplicationLookup
    clock: Clock
    random: Random
    digests: Digests
    record: Recorder
  }>): RotateApplicationKey =>
  (context, { id: idOrName, overlapSeconds, keyId }) =>
    changeApplication(
      store,
      idOrName,
      (
        application: Application,
      ): TE.TaskEither<
        ApplicationKeyless | ApplicationRevoked | KeyReplaced | Conflict | StoreUnavailable,
        RotatedKey
      > => {
        if (isAccountPages(application.id)) return TE.left({ _tag: 'ApplicationKeyless' })
        if (application.revoked) return TE.left({ _tag: 'ApplicationRevoked' })
        if (keyId !== undefined && keyId !== application.keyId) return TE.left({ _tag: 'KeyReplaced' })
        const { id } = application
        const { secret, ...key } = newPrivateKey(random, digests)
        const previousUntilSeconds = Math.floor(clock() / 1000) + overlapSeconds
        return pipe(
          record(
            [{ _tag: 'ApplicationKeyRotated', application, key, previousUntilSeconds }],
            operatorOf(context),
            context,
          ),
          neverFailsWith('EmailTaken'),
          TE.map(() => ({ id, publicApiKey: publicApiKey(id), privateApiKey: secret, previousUntilSeconds })),
        )
      },
    )
