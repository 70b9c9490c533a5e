import { traverseArray } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { ApplicationTokens, KeyUnusable, PublicJwk } from '../ports/token-format.ts'
import type { CurrentKeyring } from './keyring.ts'

/**
 * The keys that verify application tokens (RFC 7517 §5). They include a key that does not sign yet, so that clients have it
 * before its first token.
 */
export type PublishedKeys = TE.TaskEither<KeyUnusable | StoreUnavailable, ReadonlyArray<PublicJwk>>

export const publishedKeys = ({
  tokens,
  keyring,
}: Readonly<{ tokens: ApplicationTokens; keyring: CurrentKeyring }>): PublishedKeys =>
  pipe(
    keyring,
    TE.chainEitherKW(({ application }) =>
      traverseArray((key: SigningKey) => tokens.publicJwk(key))(application.verifying),
    ),
  )
