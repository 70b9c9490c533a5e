import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { onFreshFacts } from './fresh-facts.ts'
import type { Conflict, SessionAndUser, Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'

/** `onFreshFacts` for what a signed-in user does: a session that is gone meanwhile is a token that is good no more. */
export const onFreshSession = <E, A>(
  store: Pick<Store, 'findSession'>,
  decide: (facts: SessionAndUser) => TE.TaskEither<E | Conflict, A>,
) =>
  onFreshFacts(
    ({ session }: SessionAndUser): TE.TaskEither<InvalidToken | StoreUnavailable, SessionAndUser> =>
      pipe(
        store.findSession(session.id),
        TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
      ),
    decide,
  )
