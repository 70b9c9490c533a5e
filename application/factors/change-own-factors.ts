import { pipe } from 'fp-ts/lib/function.js'
import { chain } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Factor } from '../../domain/factor.ts'
import { mayChangeFactors, type PageVisitor, proofState, visitorOf } from '../../domain/page-visitor.ts'
import { isAlive, type Session } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { retryOnConflict, type Tagged } from '../recording/retry-on-conflict.ts'
import { readSessionAgain } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { ThrottleKey } from '../throttling/throttle-key.ts'

/** Who may change the factors of a user: the user in a session, or the visitor of a page, who has none. */
export type FactorHolder = UserCaller | PageVisitor

/** A holder as last read, with all factors of the user that are not removed. */
export type OwnFactors<Holder extends FactorHolder = FactorHolder> = Readonly<{
  holder: Holder
  factors: ReadonlyArray<Factor>
}>

/** Returns the session that makes a change. A visitor has none. */
export const sessionOf = (holder: FactorHolder): Session | undefined =>
  holder.kind === 'user' ? holder.session : undefined

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'findUser' | 'listFactors'>
  clock: Clock
  throttle: Throttle
}>

/**
 * Decides about the factors of a user, again after each conflict. If the session has ended, or the proof of a visitor, then `InvalidToken`.
 *
 * Changes have limits, which only changes that are made count on. A session has less than its user, so that a thief of one leaves the
 * others theirs.
 *
 * The factors are read after the user. Each change of them writes the user, so a change after these reads is a conflict.
 */
export const changeOwnFactors =
  <Holder extends FactorHolder, E extends Tagged, A>(
    dependencies: Dependencies,
    decide: (own: OwnFactors<Holder>) => TE.TaskEither<E | Conflict, A>,
  ) =>
  (holder: Holder): TE.TaskEither<E | InvalidToken | Throttled | Overloaded | StoreUnavailable, A> =>
    withThrottle(dependencies.throttle, limitsOf(holder), {
      check: deciding(dependencies, decide)(holder),
      isSuccess: () => false,
    })

const limitsOf = (holder: FactorHolder): ReadonlyArray<ThrottleKey> => [
  {
    kind: 'factor_changes_in_session',
    id: holder.kind === 'user' ? holder.session.id : `pages ${holder.user.id}`,
  },
  { kind: 'factor_changes', userId: holder.user.id },
]

const deciding = <Holder extends FactorHolder, E extends Tagged, A>(
  { store, clock }: Dependencies,
  decide: (own: OwnFactors<Holder>) => TE.TaskEither<E | Conflict, A>,
): ((holder: Holder) => TE.TaskEither<E | InvalidToken | Overloaded | StoreUnavailable, A>) =>
  retryOnConflict(
    readAgain<Holder>(store),
    (holder): TE.TaskEither<E | InvalidToken | StoreUnavailable | Conflict, A> =>
      hasEnded(holder, clock() / 1000)
        ? INVALID
        : pipe(
            store.listFactors(holder.user.id),
            TE.chainW(
              (factors): TE.TaskEither<E | InvalidToken | Conflict, A> =>
                holder.kind === 'user' || mayChangeFactors(holder, factors)
                  ? decide({ holder, factors })
                  : INVALID,
            ),
          ),
  )

/** The proof of a visitor was judged as it was opened. */
const hasEnded = (holder: FactorHolder, nowSeconds: number): boolean =>
  holder.kind === 'user' && !isAlive(holder, nowSeconds)

const INVALID = TE.left<InvalidToken>({ _tag: 'InvalidToken' })

const readAgain =
  <Holder extends FactorHolder>(store: Pick<Store, 'findSession' | 'findUser'>) =>
  (holder: FactorHolder): TE.TaskEither<InvalidToken | StoreUnavailable, Holder> =>
    (holder.kind === 'user'
      ? pipe(
          readSessionAgain(store)(holder),
          TE.map((facts): FactorHolder => ({ ...holder, ...facts })),
        )
      : readVisitorAgain(store)(holder)) as TE.TaskEither<InvalidToken | StoreUnavailable, Holder> // of the same kind

/** Reads the user of a visitor again. The proof has ended if the password or the factors were changed. */
export const readVisitorAgain =
  (store: Pick<Store, 'findUser'>) =>
  (visitor: PageVisitor): TE.TaskEither<InvalidToken | StoreUnavailable, PageVisitor> =>
    pipe(
      store.findUser(visitor.user.id),
      TE.map(chain((user) => visitorOf(proofState(visitor), user))),
      TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
    )
