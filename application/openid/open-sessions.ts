import { pipe } from 'fp-ts/lib/function.js'
import { filter, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Returns a session that is alive, with its user and its application. */
export type FindOpenSession = (sessionId: string) => TE.TaskEither<StoreUnavailable, Option<SessionFacts>>

type Dependencies = Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock }>

export const findOpenSession =
  ({ store, clock }: Dependencies): FindOpenSession =>
  (sessionId) =>
    pipe(store.findSession(sessionId), TE.map(filter((facts) => isAlive(facts, clock() / 1000))))
