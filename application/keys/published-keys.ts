import { type Either, map, traverseArray } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { IdTokenKeys, PublicRsaJwk } from '../ports/id-token-keys.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { JwtFormat, KeyUnusable, PublicJwk, PublicPaserk, UserTokens } from '../ports/token-format.ts'
import type { CurrentKeyring } from './keyring.ts'

/**
 * The keys that verify tokens of one purpose (RFC 7517 §5), none if the service has no key of it. They include a key that does not
 * sign yet, so that clients have it before its first token.
 */
export type PublishedKeys = TE.TaskEither<KeyUnusable | StoreUnavailable, ReadonlyArray<PublicJwk>>

export const publishedKeys = (
  purpose: 'application' | 'user_jwt',
  { tokens, keyring }: Readonly<{ tokens: Pick<JwtFormat<never>, 'publicJwk'>; keyring: CurrentKeyring }>,
): PublishedKeys =>
  pipe(
    keyring,
    TE.chainEitherKW((keys) =>
      traverseArray((key: SigningKey) => tokens.publicJwk(key))(keys[purpose]?.verifying ?? []),
    ),
  )

/** The keys that verify ID tokens, as `PublishedKeys`. */
export type PublishedIdTokenKeys = TE.TaskEither<KeyUnusable | StoreUnavailable, ReadonlyArray<PublicRsaJwk>>

export const publishedIdTokenKeys = ({
  tokens,
  keyring,
}: Readonly<{ tokens: Pick<IdTokenKeys, 'load'>; keyring: CurrentKeyring }>): PublishedIdTokenKeys =>
  pipe(
    keyring,
    TE.chainEitherKW(({ id_token }) =>
      traverseArray((key: SigningKey) => publicJwkOf(tokens, key))(id_token?.verifying ?? []),
    ),
  )

const publicJwkOf = (tokens: Pick<IdTokenKeys, 'load'>, key: SigningKey): Either<KeyUnusable, PublicRsaJwk> =>
  pipe(
    tokens.load(key),
    map(({ publicJwk }) => publicJwk),
  )

/**
 * The keys that verify user tokens as PASETO. They include a key that does not sign yet, so that clients have it before its first
 * token. `kid` is the key id in the footer of a token.
 */
export type PublishedUserKeys = TE.TaskEither<KeyUnusable | StoreUnavailable, ReadonlyArray<PublishedUserKey>>

export type PublishedUserKey = Readonly<{
  kid: string
  version: 'v4'
  purpose: 'public'
  paserk: PublicPaserk
}>

type Tokens = Pick<UserTokens, 'publicKey'>

export const publishedUserKeys = ({
  tokens,
  keyring,
}: Readonly<{ tokens: Tokens; keyring: CurrentKeyring }>): PublishedUserKeys =>
  pipe(
    keyring,
    TE.chainEitherKW(({ user }) => traverseArray((key: SigningKey) => publish(tokens, key))(user.verifying)),
  )

const publish = (tokens: Tokens, key: SigningKey): Either<KeyUnusable, PublishedUserKey> =>
  pipe(
    tokens.publicKey(key),
    map((paserk) => ({ kid: key.kid, version: 'v4', purpose: 'public', paserk })),
  )
