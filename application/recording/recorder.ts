import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Conflict, EmailTaken, Store, StoreUnavailable } from '../ports/store.ts'
import { type Fact, toChange } from './facts.ts'

/** What a use case knows of the call it answers. */
export type RequestContext = Readonly<{
  /** Absent when there was no request. */
  requestId?: string
  /** Whether somebody still waits for the answer. */
  wanted: () => boolean
  /** Where the caller is, as far as callers are told apart by that: an IPv4 address, or the first half of an IPv6 one. */
  address?: () => string | undefined
}>

/** The call of what nobody asked for over HTTP: it has no request, and is wanted to its end. */
export const NO_REQUEST: RequestContext = { wanted: () => true }

/**
 * Writes facts as one change: see `Store.commit` for what it promises. When the answer of the store is lost it asks again
 * with the same change, which is written once however often it is committed.
 */
export type Recorder = (
  facts: NonEmptyArray<Fact>,
  actor: Actor,
  call: RequestContext,
) => TE.TaskEither<CommitFailure, void>

export const recorder =
  ({
    store,
    clock,
    random,
    digests,
  }: Readonly<{ store: Pick<Store, 'commit'>; clock: Clock; random: Random; digests: Digests }>): Recorder =>
  (facts, actor, call) => {
    const change = toChange(facts, {
      actor,
      requestId: call.requestId,
      atMilliseconds: clock(),
      uuid: () => random.uuid(),
      sha256: (text) => digests.sha256(text),
    })
    const commit = store.commit(change)
    return async () => {
      const first = await commit()
      if (!isUnknown(first)) return first
      for (let again = 0; again < MORE_ATTEMPTS; again += 1) {
        const outcome = await commit()
        if (isRight(outcome) || outcome.left._tag !== 'StoreUnavailable') return outcome
      }
      return first // a store that is away says nothing of what it did before
    }
  }

/** A store that loses its answer this often in a row is out of order, and somebody has to look at it. */
const MORE_ATTEMPTS = 2

const isUnknown = (outcome: Either<CommitFailure, void>): boolean =>
  isLeft(outcome) && outcome.left._tag === 'StoreUnavailable' && outcome.left.outcome === 'unknown'

/**
 * Rules failures out that a change cannot meet: a record with a new id has no rival, and only users have an
 * e-mail. A store that reports one all the same has broken its promise, and counts as unavailable.
 */
export const ruledOut = <F extends CommitFailure, Tag extends 'Conflict' | 'EmailTaken'>(
  failure: F,
  ...impossible: ReadonlyArray<Tag>
): Exclude<F, { _tag: Tag }> | StoreUnavailable =>
  impossible.some((tag) => tag === failure._tag)
    ? { _tag: 'StoreUnavailable', reason: `it reported an impossible ${failure._tag}` }
    : (failure as Exclude<F, { _tag: Tag }>) // the line above took the others out

/** `ruledOut` as a step of a pipe. */
export const cannotMeet = <Tag extends 'Conflict' | 'EmailTaken'>(...impossible: ReadonlyArray<Tag>) =>
  TE.mapLeft((failure: CommitFailure) => ruledOut(failure, ...impossible))

type CommitFailure = Conflict | EmailTaken | StoreUnavailable
