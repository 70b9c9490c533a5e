import { pipe } from 'fp-ts/lib/function.js'
import { chain, isSome, map, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Application } from '../../domain/application.ts'
import { PASSKEY_SECONDS } from '../../domain/passkey.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { PasskeyVerifier } from '../ports/passkey-verifier.ts'
import type { SealedFor, Sealing } from '../ports/sealing.ts'
import { openSealed, sealState } from '../recording/sealed-state.ts'

/** What the service needs for passkeys. It has none of it without a relying party, PASSKEY_RP_ID. */
export type Passkeys = Readonly<{ verifier: PasskeyVerifier; sealing: Sealing; rpId: string; rpName: string }>

/** Passkeys at the pages of one application. */
export type PasskeysOfPages = Passkeys & Readonly<{ origins: ReadonlyArray<string> }>

/** The application has no origin where a passkey can be used, or the service has no relying party. */
export type PasskeysOff = Readonly<{ _tag: 'PasskeysOff' }>

/** Returns the passkeys of an application: undefined if it has no origins. */
export const passkeysAt = (
  passkeys: Passkeys | undefined,
  { passkeyOrigins: origins }: Pick<Application, 'passkeyOrigins'>,
): PasskeysOfPages | undefined =>
  passkeys === undefined || origins.length === 0 ? undefined : { ...passkeys, origins }

/** The same as `passkeysAt`, where a route needs them. */
export const requirePasskeysAt = (
  passkeys: Passkeys | undefined,
  application: Pick<Application, 'passkeyOrigins'>,
): TE.TaskEither<PasskeysOff, PasskeysOfPages> =>
  pipe(passkeysAt(passkeys, application), TE.fromNullable<PasskeysOff>({ _tag: 'PasskeysOff' }))

/** The same for a signed-in user: the application is the one that opened the session. */
export const requirePasskeysOf = (
  passkeys: Passkeys | undefined,
  { application }: Pick<UserCaller, 'application'>,
): TE.TaskEither<PasskeysOff, PasskeysOfPages> =>
  isSome(application) ? requirePasskeysAt(passkeys, application.value) : TE.left({ _tag: 'PasskeysOff' })

/** Returns a new challenge. Nothing is stored: the challenge itself says when it was made, and it is sealed for its ceremony. */
export const newChallenge = (
  dependencies: Readonly<{ clock: Clock; random: Random }>,
  { sealing }: Pick<Passkeys, 'sealing'>,
  about: SealedFor,
): string => sealState({ ...dependencies, sealing }, { about, lifetimeSeconds: PASSKEY_SECONDS }, [])

/** A challenge of the service that a credential answers. */
export type Answered = Readonly<{ challenge: string; issuedAtMs: number }>

/**
 * Returns the challenge that a credential answers: none if it has ended, or was made for another ceremony. It is opened before any
 * signature is verified, so that strangers cost little.
 */
export const answeredChallenge = (
  { clock }: Readonly<{ clock: Clock }>,
  { verifier, sealing }: Pick<Passkeys, 'verifier' | 'sealing'>,
  { credential, about }: Readonly<{ credential: string; about: SealedFor }>,
): Option<Answered> =>
  pipe(
    verifier.challengeOf(credential),
    chain((challenge) =>
      pipe(
        openSealed({ clock, sealing }, challenge, { about, lifetimeSeconds: PASSKEY_SECONDS }),
        map(({ issuedAtMs }) => ({ challenge, issuedAtMs })),
      ),
    ),
  )
