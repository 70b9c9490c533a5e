import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../domain/event.ts'
import { type Fact, toChange } from './facts.ts'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { Conflict, EmailTaken, Store, StoreUnavailable } from './ports/store.ts'

/** What a use case knows of the call it answers. */
export type Call = Readonly<{
  /** Absent when there was no request. */
  requestId?: string
  /** Whether somebody still waits for the answer. */
  wanted: () => boolean
}>

/** Writes facts as one change: see `Store.commit` for what it promises. */
export type Recorder = (
  facts: NonEmptyArray<Fact>,
  actor: Actor,
  call: Call,
) => TE.TaskEither<Conflict | EmailTaken | StoreUnavailable, void>

export const recorder =
  (store: Pick<Store, 'commit'>, clock: Clock, random: Random, digests: Digests): Recorder =>
  (facts, actor, call) =>
    store.commit(
      toChange(facts, {
        actor,
        requestId: call.requestId,
        atMilliseconds: clock(),
        uuid: () => random.uuid(),
        sha256: (text) => digests.sha256(text),
      }),
    )

/**
 * Rules failures out that a change cannot meet: a record with a new id has no rival, and only users have an
 * e-mail. A store that reports one all the same has broken its promise, and counts as unavailable.
 */
export const cannotMeet = <Tag extends 'Conflict' | 'EmailTaken'>(...ruledOut: ReadonlyArray<Tag>) =>
  TE.mapLeft(
    (
      failure: Conflict | EmailTaken | StoreUnavailable,
    ): Exclude<typeof failure, { _tag: Tag }> | StoreUnavailable =>
      ruledOut.some((tag) => tag === failure._tag)
        ? { _tag: 'StoreUnavailable', reason: `it reported an impossible ${failure._tag}` }
        : (failure as Exclude<typeof failure, { _tag: Tag }>), // the line above took the others out
  )
