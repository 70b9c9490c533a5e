import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventType } from '../../domain/event.ts'
import type { RefusalType } from '../../domain/event-row.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'

/**
 * Where entries of the log are: positions by user, application, type, time and reason. It follows from the log alone, so it may be lost
 * at any time, and `catchUp` builds it again. It has ids, types, times and reasons, and nothing else of an entry.
 *
 * Several processes may use one at the same time. No method throws or rejects.
 *
 * The testkit has no contract for this port: it is internal. A store needs nothing for it but `readEpoch` and `readEvents`.
 */
export interface ReadModel {
  /** Returns how far it follows the log; none if it is new, or was lost. */
  state(): TaskEither<ReadModelUnavailable, Option<ModelState>>

  /** Empties it for an epoch, if its state is still `seen`. Otherwise it resolves with false and changes nothing. */
  begin(epoch: string, seen: Option<ModelState>): TaskEither<ReadModelUnavailable, boolean>

  /**
   * Adds rows and replaces the state in one transaction, if epoch and position are still those of `from`. Otherwise another caller was
   * faster: it resolves with false and changes nothing.
   */
  advance(from: ModelState, step: ModelStep): TaskEither<ReadModelUnavailable, boolean>

  /** Removes the rows in a range of positions that the log does not have. It changes nothing if the model has another epoch. */
  keepOnly(kept: KeptPositions): TaskEither<ReadModelUnavailable, void>

  /** Returns the number of entries up to a position. */
  count(through: number): TaskEither<ReadModelUnavailable, number>

  /** Returns at most `limit` positions, ascending, or descending with `isReverse`; and the state as of the same moment. */
  find(query: ModelQuery): TaskEither<ReadModelUnavailable, FoundPositions>

  /** Counts entries and refusals of whole hours. Hours and reasons without any are left out. */
  tally(span: Readonly<{ since: number; until: number }>): TaskEither<ReadModelUnavailable, ModelTally>

  close: Task<void>
}

/** The file cannot be used now. `reason` is a sentence for operators. */
export type ReadModelUnavailable = Readonly<{ _tag: 'ReadModelUnavailable'; reason: string }>

/** `id` is that of the entry at `position`, which is 0 at the beginning of the log. */
export type ModelState = Readonly<{
  epoch: string
  position: number
  id: string
  /** A pruning of the log whose entries the model may still have. */
  pruning: ModelPruning | undefined
}>

/** Of the positions up to `through`, `entries` are pruned when the pruning is complete. */
export type ModelPruning = Readonly<{ through: number; entries: number }>

export type ModelStep = Readonly<{
  to: ModelState
  entries: ReadonlyArray<ModelEntry>
  refusals: ReadonlyArray<ModelRefusal>
}>

/** `at` is in milliseconds since 1970. User and application are ids: of the subject, else of the actor. */
export type ModelEntry = Readonly<{
  position: number
  at: number
  type: EventType
  user: string | undefined
  application: string | undefined
}>

/** Refusals that one entry notes, of one reason. */
export type ModelRefusal = Readonly<{
  position: number
  at: number
  type: RefusalType
  reason: RefusalReason
  count: number
}>

/** `positions` are those that the log has above `after` and up to `through`, at most 1,000. */
export type KeptPositions = Readonly<{
  epoch: string
  after: number
  through: number
  positions: ReadonlyArray<number>
}>

/** Conditions that apply together. Times are in milliseconds since 1970: from `since`, before `until`. */
export type EntryFilter = Readonly<{
  since?: number | undefined
  until?: number | undefined
  user?: string | undefined
  application?: string | undefined
  /** One of these. */
  types?: ReadonlyArray<EventType> | undefined
  reason?: RefusalReason | undefined
}>

/** Positions above `after` and up to `through`. */
export type ModelQuery = Readonly<{
  filter: EntryFilter
  after: number
  through: number
  limit: number
  isReverse: boolean
}>

export type FoundPositions = Readonly<{ state: Option<ModelState>; positions: ReadonlyArray<number> }>

/** An hour is its first millisecond since 1970. Refusals count as often as the log counted them, also in summaries. */
export type ModelTally = Readonly<{
  hours: ReadonlyArray<Readonly<{ hour: number; type: EventType; count: number }>>
  reasons: ReadonlyArray<Readonly<{ type: RefusalType; reason: RefusalReason; count: number }>>
}>
