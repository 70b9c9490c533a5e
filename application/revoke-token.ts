import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import type { ApplicationTokenClaims } from '../domain/token.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { recordOfLiveSession } from './recording/session-facts.ts'
import type { ValidateToken } from './validate-token.ts'

/**
 * An application ends one token (RFC 7009): one of its own, or that of a user whom it has signed in, whose session ends with
 * it. It is good nowhere any more as soon as this has succeeded.
 *
 * Whatever else is shown (unknown, forged, expired, revoked before, somebody else's) is a success that changes nothing and
 * counts nowhere, as with `introspect`: what the application wanted to be good no more is not good for it (§2.2).
 *
 * @param applicationId of the application that asks; whether it is the one is the caller's to know
 */
export type RevokeToken = (
  call: RequestContext,
  applicationId: string,
  token: string,
) => TE.TaskEither<Overloaded | StoreUnavailable, void>

export const revokeToken = ({
  validateToken: judge,
  store,
  clock,
  record,
}: Readonly<{
  validateToken: ValidateToken
  store: Pick<Store, 'findSession'>
  clock: Clock
  record: Recorder
}>): RevokeToken => {
  const signOut = recordOfLiveSession({
    store,
    clock,
    record,
    factOf: ({ session }) => ({
      _tag: 'UserSignedOut',
      session,
    }),
  })

  return (call, applicationId, token) => {
    const actor = { kind: 'application', id: applicationId } as const

    const endSession = (caller: UserCaller): TE.TaskEither<Overloaded | StoreUnavailable, void> =>
      pipe(
        signOut(call, actor, caller),
        TE.orElse((failure) => (failure._tag === 'InvalidToken' ? NOTHING_TO_DO : TE.left(failure))),
      )

    const revoke = ({ jti, exp }: ApplicationTokenClaims): TE.TaskEither<StoreUnavailable, void> =>
      pipe(
        record(
          [
            {
              _tag: 'ApplicationTokenRevoked',
              token: { id: jti, applicationId, expiresAtSeconds: exp },
            },
          ],
          actor,
          call,
        ),
        cannotMeet('EmailTaken'),
        // A record of it is written once and never again: somebody else was faster.
        TE.orElse((failure) => (failure._tag === 'Conflict' ? NOTHING_TO_DO : TE.left(failure))),
      )

    return async () => {
      const live = await judge(token)()
      if (E.isLeft(live)) return live.left._tag === 'StoreUnavailable' ? E.left(live.left) : DONE
      if (live.right.kind === 'application')
        return live.right.claims.client_id === applicationId ? await revoke(live.right.claims)() : DONE
      const { caller } = live.right
      const opener = caller.session.applicationId
      return isSome(opener) && opener.value === applicationId ? await endSession(caller)() : DONE
    }
  }
}

const DONE = E.right(undefined)
const NOTHING_TO_DO: TE.TaskEither<never, void> = TE.right(undefined)
