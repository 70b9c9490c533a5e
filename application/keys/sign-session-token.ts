import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AssuranceClaims } from '../../domain/assurance.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import { type SessionFacts, tokenLifetime } from '../../domain/session.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { SignUserToken } from './sign-user-token.ts'

/**
 * Signs another token of a session, with what it proves. It ends with the session at the latest: if nothing of that is left, or the
 * application is gone, then `InvalidToken`.
 */
export const signSessionToken =
  (
    { signUserToken, settings }: Readonly<{ signUserToken: SignUserToken; settings: LifetimeSettings }>,
    { session, user, application }: SessionFacts,
    { assurance, issuedAtSeconds }: Readonly<{ assurance: AssuranceClaims; issuedAtSeconds: number }>,
  ): TE.TaskEither<
    InvalidToken | KeyUnusable | StoreUnavailable,
    Readonly<{ token: string; expiresInSeconds: number }>
  > =>
  async () => {
    if (isNone(application)) return left({ _tag: 'InvalidToken' })
    const lifetimes = lifetimesOf(application.value, settings, session.remembered)
    const lifetimeSeconds = tokenLifetime(session, lifetimes, issuedAtSeconds)
    if (lifetimeSeconds <= 0) return left({ _tag: 'InvalidToken' })
    const signed = await signUserToken({
      user,
      sessionId: session.id,
      applicationId: application.value.id,
      assurance,
      issuedAtSeconds,
      lifetimeSeconds,
    })()
    if (isLeft(signed)) return signed
    const { token, expiresAtSeconds } = signed.right
    return right({ token, expiresInSeconds: expiresAtSeconds - issuedAtSeconds })
  }
