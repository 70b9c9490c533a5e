import { setTimeout } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Change, Conflict, EmailTaken, StoreUnavailable } from '../../../application/ports/store.ts'
import { automaticRenewal } from '../records/renewal.ts'
import { unavailable } from '../records/unavailable.ts'
import { inBatches } from './batches.ts'
import type { ChangeOutcome } from './conflicts.ts'
import type { Connections } from './connections.ts'
import { headComparison, renewEpochOfCopy } from './epoch.ts'
import { isSerializationFailure, LogCopied, OutcomeUnknown, reasonOf, stateOf, WriteRace } from './errors.ts'
import { append, writeChanges } from './write.ts'

type Outcome = E.Either<Conflict | EmailTaken | StoreUnavailable, void>

/**
 * Commits changes in batches. Changes without rows, written or compared, are appended in one statement. The others take a transaction that
 * reads first. The two kinds do not wait for each other.
 *
 * If the response to a commit is lost, the same change is committed again until the server answers. A restarted
 * server, or its replacement, answers within seconds.
 *
 * @param onCommitted called with the changes that one transaction has made durable
 * @param timeoutMs how long an unknown outcome is resolved; after that, it stays unknown to the caller
 */
export const commitsTo = (
  connections: Connections,
  onCommitted: (changes: ReadonlyArray<Change>) => void,
  timeoutMs = RESOLVE_TIMEOUT_MS,
) => {
  const comparison = headComparison(connections)

  /** Reads the current rows first, and retries after a concurrent write. */
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

  /** Renews the epoch in a separate transaction. The renewal remains if the changes are then refused. */
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

  /** One of the changes can never be written. The others must not fail with it. */
  const oneByOne = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<Outcome>> => {
    const outcomes: Array<Outcome> = []
    for (const change of changes) outcomes.push(...(await commitChecked([change])))
    return outcomes
  }

  /** Appends without reading first, and reads only after a failure. */
  const commitAppends = async (changes: ReadonlyArray<Change>): Promise<ReadonlyArray<Outcome>> => {
    try {
      await append(connections.write, changes, await comparison(), connections.isCurrent())
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
    return first // an unavailable server does not tell what it has committed
  }

  return {
    /** Resolves when the change is durable, or has finally failed, or the time to resolve an unknown outcome is over. */
    commit: async (change: Change): Promise<Outcome> => {
      const outcome = await (hasRows(change) ? withRows : withoutRows).add(change)
      if (!isUnknown(outcome)) return outcome
      const answer = resolveUnknown(change, outcome)
      resolving.add(answer)
      return answer.finally(() => resolving.delete(answer))
    },

    /** Resolves when no change waits. */
    drained: async (): Promise<void> => {
      await withoutRows.drained()
      await withRows.drained()
      await Promise.all(resolving)
    },
  }
}

/** A compared row is read and locked, like a written one. */
const hasRows = ({ compared, rows }: Change): boolean => compared.length + rows.length > 0

const resultOf = (outcome: ChangeOutcome): Outcome => {
  switch (outcome) {
    case 'written':
    case 'already committed':
      return E.right(undefined)
    case 'duplicate event':
      return unavailable('the log already contains an event of this change')
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

/** Another transaction wrote first. A second attempt reads what it has written. */
const isRetryable = (error: unknown): boolean =>
  error instanceof WriteRace || stateOf(error) === '23505' || isSerializationFailure(error)

/** The database refuses a value, or a constraint or trigger does. */
const isCausedByOneChange = (error: unknown): boolean =>
  error instanceof WriteRace || /^(22|23|P0)/.test(stateOf(error) ?? '')

const TOO_MANY: Outcome = unavailable('too many changes wait for PostgreSQL')

/** For each failed attempt, another transaction has committed. */
const ATTEMPTS = 10

/** Longer than the restart of a server, and short enough for a service that must stop meanwhile. */
const RESOLVE_TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000
