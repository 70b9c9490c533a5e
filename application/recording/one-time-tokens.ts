import { pipe } from 'fp-ts/lib/function.js'
import { filter, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OtherFirstMethod } from '../../domain/assurance.ts'
import { type Field, isPresent } from '../../domain/field.ts'
import {
  isOneTimeToken,
  ONE_TIME_TOKEN_BYTES,
  type OneTimeToken,
  type OneTimeTokenFacts,
  type OneTimeTokenPurpose,
  oneTimeToken,
} from '../../domain/one-time-token.ts'
import type { User } from '../../domain/user.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Unwritten } from './facts.ts'

/** Makes the secret of a one-time token. The same work for every account, also for an unknown one. */
export const newSecret = (
  { random, digests }: Readonly<{ random: Random; digests: Digests }>,
  purpose: OneTimeTokenPurpose,
): Readonly<{ text: string; digest: string }> => {
  const text = oneTimeToken(purpose, random.bytes(ONE_TIME_TOKEN_BYTES))
  return { text, digest: digests.sha256(text) }
}

/** Makes the record of a token: it remembers the state of the user, with which it ends (`isUsable`). */
export const newTokenRecord = (
  { random, clock }: Readonly<{ random: Random; clock: Clock }>,
  user: User,
  granted: Pick<OneTimeToken, 'purpose' | 'digest' | 'applicationId' | 'email'> &
    Readonly<{
      ttlSeconds: number
      label?: Option<string>
      remembered?: boolean
      first?: Option<OtherFirstMethod>
    }>,
): Unwritten<OneTimeToken> => {
  const { ttlSeconds, label = none, remembered = false, first = none, ...given } = granted
  return {
    ...given,
    label,
    remembered,
    first,
    id: random.uuid(),
    userId: user.id,
    passwordVersion: user.passwordVersion,
    sessionsVersion: user.sessionsVersion,
    emailVersion: user.emailVersion,
    expiresAtSeconds: Math.floor(clock() / 1000) + ttlSeconds,
    used: false,
  }
}

/**
 * Returns the token that a request presents, its user and its application, whether it can be used or not. A text that is no token
 * of this purpose needs no look-up.
 */
export const findPresented = (
  { store, digests }: Readonly<{ store: Pick<Store, 'findOneTimeToken'>; digests: Digests }>,
  purpose: OneTimeTokenPurpose,
  text: Field,
): TE.TaskEither<StoreUnavailable, Option<OneTimeTokenFacts>> => {
  if (!isPresent(text) || !isOneTimeToken(purpose, text)) return TE.right(none)
  const digest = digests.sha256(text)
  return pipe(
    store.findOneTimeToken(digest),
    TE.map(filter(({ token }: OneTimeTokenFacts) => digests.areEqual(token.digest, digest))),
  )
}
