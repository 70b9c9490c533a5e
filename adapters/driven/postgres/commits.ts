import { setTimeout } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Change, Conflict, EmailTaken, StoreUnavailable } from '../../../application/ports/store.ts'
import { automaticRenewal } from '../records/renewal.ts'
import { unavailable } from '../records/unavailable.ts'
import { inBatches } from './batches.ts'
import type { ChangeOutcome } from './conflicts.ts'
import type { Connections } from './connections.ts'
import { headComparison, renewEpochOfCopy } from './epoch.ts'
import { isSerializationFailure, OutcomeUnknown, reasonOf, stateOf } from './errors.ts'
import { append, LogCopied, WriteRace, writeChanges } from './write.ts'

type Outcome = E.Either<Conflict | EmailTaken | StoreUnavailable, void>

/**
 * Commits changes in batches. Those that only say something in the log go in one statement, and the others in a transaction
 * that looks first; neither kind waits for the other.
 *
 * When the answer to a commit was lost, the same change is asked for again until the server tells: one that restarts, or
 * another that takes over, answers within seconds.
 *
 * @param onCommitted hears of the changes that one transaction has written, once they are durable
 * @param timeoutMs how long the same change is asked for again; what comes to light later nobody hears of
 */
export const commitsTo = (
  connections: Connections,
  onCommitted: (changes: ReadonlyArray<Change>) => void,
  timeoutMs = RESOLVE_TIMEOUT_MS,
) => {
  const comparison = headComparison(connections)

  /** Looks first, and again when somebody else was faster. */
  const commitChecked = async (
    changes: ReadonlyArray<Change>,
    attemptsLeft = ATTEMPTS,
  ): Promise<ReadonlyArray<Outcome>> => {
    try {
      const compared = await comparison()
      const outcomes = await connections.transaction((query) => writeChanges(query, changes, compared))
      onCommitted(changes.filter((_, index) => outcomes[index] === 'written'))
      return outcomes.map(resultOf)
    } catch (error) {
      if (attemptsLeft > 0 && isRetryable(error)) return commitChecked(changes, attemptsLeft - 1)
      if (attemptsLeft > 0 && error instanceof LogCopied) return renewThenCommit(changes, attemptsLeft - 1)
      return isCausedByOneChange(error) && changes.length > 1 ? oneByOne(changes) : allFailed(changes, error)
    }
  }

  /** A renewal is a transaction of its own: where the changes are refused, it holds all the same. */
  const renewThenCommit = async (
    changes: ReadonlyArray<Change>,
    attemptsLeft: number,
  ): Promise<ReadonlyArray<Outcome>> => {
    try {
      const [first] = changes
      if (first !== undefined)
        await connections.transaction((query) => renewEpochOfCopy(query, automaticRenewal(first)))
    } catch (error) {
      if (!(attemptsLeft > 0 && isRetryable(error))) return allFailed(changes, error)
    }
    return commitChecked(changes, attemptsLeft)
  }

  /** One of them can never be written, and that is nobody else's matter. */
  const oneByOne = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<Outcome>> => {
    const outcomes: Array<Outcome> = []
    for (const change of changes) outcomes.push(...(await commitChecked([change])))
    return outcomes
  }

  /** Looks only when it did not work without. */
  const commitAppends = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<Outcome>> => {
    try {
      await append(connections.write, changes, await comparison())
      onCommitted(changes)
      return changes.map(() => E.right(undefined))
    } catch (error) {
      if (error instanceof LogCopied) return renewThenCommit(changes, ATTEMPTS)
      return isCausedByOneChange(error) || isSerializationFailure(error)
        ? commitChecked(changes)
        : allFailed(changes, error)
    }
  }

  const withoutRows = inBatches(commitAppends, TOO_MANY)
  const withRows = inBatches((changes: ReadonlyArray<Change>) => commitChecked(changes), TOO_MANY)
  const resolving = new Set<Promise<Outcome>>()

  const resolveUnknown = async (change: Change, first: Outcome): Promise<Outcome> => {
    const until = performance.now() + timeoutMs
    for (
      let pause = FIRST_PAUSE_MS;
      performance.now() < until;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      await setTimeout(pause)
      const outcome = await withRows.add(change)
      if (E.isRight(outcome) || outcome.left._tag !== 'StoreUnavailable') return outcome
    }
    return first // a server that is away says nothing of what it did before
  }

  return {
    /** Resolves when the change is durable, or will never be, or nobody could be found who knows. */
    commit: async (change: Change): Promise<Outcome> => {
      const outcome = await (change.rows.length === 0 ? withoutRows : withRows).add(change)
      if (!isUnknown(outcome)) return outcome
      const answer = resolveUnknown(change, outcome)
      resolving.add(answer)
      return answer.finally(() => resolving.delete(answer))
    },

    /** Resolves when nothing waits any more. */
    drained: async (): Promise<void> => {
      await withoutRows.drained()
      await withRows.drained()
      await Promise.all(resolving)
    },
  }
}

const resultOf = (outcome: ChangeOutcome): Outcome => {
  switch (outcome) {
    case 'written':
    case 'already committed':
      return E.right(undefined)
    case 'duplicate event':
      return unavailable('an event is in the log already')
    default:
      return E.left(outcome)
  }
}

const allFailed = (changes: ReadonlyArray<Change>, error: unknown): ReadonlyArray<Outcome> => {
  const failure: StoreUnavailable = {
    _tag: 'StoreUnavailable',
    reason: reasonOf(error),
    ...(error instanceof OutcomeUnknown ? { outcome: 'unknown' } : {}),
  }
  return changes.map(() => E.left(failure))
}

const isUnknown = (outcome: Outcome): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable' && outcome.left.outcome === 'unknown'

/** Somebody else made the same, or had to be given precedence: what is there now is another matter. */
const isRetryable = (error: unknown): boolean =>
  error instanceof WriteRace || stateOf(error) === '23505' || isSerializationFailure(error)

/** The database refuses something of what was to be written: its values, or what its constraints and triggers say. */
const isCausedByOneChange = (error: unknown): boolean =>
  error instanceof WriteRace || /^(22|23|P0)/.test(stateOf(error) ?? '')

const TOO_MANY: Outcome = unavailable('too many changes wait for PostgreSQL')

/** Each time, somebody else's transaction has gone through. */
const ATTEMPTS = 10

/** Longer than a server takes to restart, and short enough for a service that is told to stop meanwhile. */
const RESOLVE_TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000
