import { setTimeout } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Change, Conflict, EmailTaken, StoreUnavailable } from '../../../application/ports/store.ts'
import { automaticRenewal } from '../records/renewal.ts'
import { unavailable } from '../records/unavailable.ts'
import { inBatches } from './batches.ts'
import type { ChangeOutcome } from './conflicts.ts'
import { type Connections, LIMITS, type Limits } from './connections.ts'
import { contendedRows } from './contended.ts'
import { headComparison, renewEpochOfCopy } from './epoch.ts'
import {
  isSerializationFailure,
  isTooSlow,
  LOCK_TIMEOUT,
  LogCopied,
  OutcomeUnknown,
  reasonOf,
  stateOf,
  WriteRace,
} from './errors.ts'
import { heldRows, type RowKey } from './row-locks.ts'
import { append, writeChanges } from './write.ts'

type Outcome = E.Either<Conflict | EmailTaken | StoreUnavailable, void>

/** Of the changes of a batch. A batch does not wait for a promise. */
type Outcomes = ReadonlyArray<Outcome | Promise<Outcome>>

/**
 * Commits changes in batches. Changes without rows, written or compared, are appended in one statement. The others take a transaction that
 * reads first. The two kinds do not wait for each other.
 *
 * Changes of rows that another transaction keeps locked wait beside the batches of the others. A batch that takes too long for another
 * reason is repeated change by change. Of what is still slow, a few changes are tried once more beside the next batches.
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

  /** Reads the current rows first, and retries after a concurrent write. Throws the error of the last attempt. */
  const commitWithin = async (
    limits: Limits,
    changes: ReadonlyArray<Change>,
    attemptsLeft = ATTEMPTS,
  ): Promise<ReadonlyArray<Outcome>> => {
    try {
      const compared = await comparison()
      const outcomes = await connections.transaction(
        (query) => writeChanges(query, changes, compared, limits),
        { limits },
      )
      onCommitted(changes.filter((_, index) => outcomes[index] === 'written'))
      return outcomes.map(resultOf)
    } catch (error) {
      if (attemptsLeft === 0) throw error
      if (error instanceof LogCopied) await renewEpoch(changes, attemptsLeft - 1)
      else if (!isRetryable(error)) throw error
      return commitWithin(limits, changes, attemptsLeft - 1)
    }
  }

  /** Renews the epoch in a separate transaction. The renewal remains if the changes are then refused. */
  const renewEpoch = async ([first]: ReadonlyArray<Change>, attemptsLeft: number): Promise<void> => {
    try {
      if (first !== undefined)
        await connections.transaction((query) => renewEpochOfCopy(query, automaticRenewal(first)))
    } catch (error) {
      if (attemptsLeft === 0 || !isRetryable(error)) throw error
    }
  }

  const contended = contendedRows()

  /** Changes of contended rows take a lane of their own. */
  const commitRows = async (changes: ReadonlyArray<Change>, looksLeft = LOOKS): Promise<Outcomes> => {
    const beside = new Map(
      changes
        .filter((change) => contended.of(change).length > 0)
        .map((change) => [change, contended.waiting(change, () => ofContendedRows.add(change))]),
    )
    const others = changes.filter((change) => !beside.has(change))
    const outcomes = [...(others.length > 0 ? await commitTogether(others, looksLeft) : [])]
    return changes.map((change) => beside.get(change) ?? (outcomes.shift() as Outcome | Promise<Outcome>))
  }

  const commitTogether = async (changes: ReadonlyArray<Change>, looksLeft = LOOKS): Promise<Outcomes> => {
    try {
      return await commitWithin(TOGETHER, changes)
    } catch (error) {
      const isLocked = stateOf(error) === LOCK_TIMEOUT
      if (isLocked && looksLeft > 0 && (await findContended(changes)))
        return commitRows(changes, looksLeft - 1)
      const isDivided = changes.length > 1 ? isCausedByOneChange(error) : isLocked
      return isDivided ? oneByOne(changes, error) : changes.map(() => failureOf(error))
    }
  }

  /** Returns whether it has found a row that was not known. */
  const findContended = async (changes: ReadonlyArray<Change>): Promise<boolean> => {
    try {
      const held = await connections.transaction((query) => heldRows(query, changes), {
        changesNothing: true,
        limits: BRIEFLY, // a whole table may be locked
      })
      return contended.add(held)
    } catch {
      return false // the changes are tried one by one
    }
  }

  /** One of the changes can never be written, or takes too long. The others must not fail with it. */
  const oneByOne = async (changes: ReadonlyArray<Change>, first?: unknown): Promise<Outcomes> => {
    const until = performance.now() + ONE_BY_ONE_MS
    const outcomes: Array<Outcome | Promise<Outcome>> = []
    const locked = new Set<RowKey>()
    let cause = first
    for (const change of changes) {
      const rows = contended.of(change)
      if (rows.some((row) => locked.has(row))) outcomes.push(commitAside(change, cause))
      else if (performance.now() > until) outcomes.push(failureOf(cause))
      else
        try {
          outcomes.push(...(await commitWithin(BRIEFLY, [change])))
        } catch (error) {
          cause = error
          if (isTooSlow(error)) for (const row of rows) locked.add(row)
          outcomes.push(isTooSlow(error) ? commitAside(change, error) : failureOf(error))
        }
    }
    return outcomes
  }

  /** Each takes a connection, and the batches and the reads need some. */
  const mostAside = Math.min(MOST_ASIDE, Math.floor((connections.size - 1) / 2))
  let aside = 0

  /** The next batches do not wait for it. */
  const commitAside = async (change: Change, cause: unknown): Promise<Outcome> => {
    if (aside >= mostAside) return failureOf(cause)
    aside += 1
    try {
      const [outcome = failureOf(cause)] = await commitWithin(ASIDE, [change])
      return outcome
    } catch (error) {
      return failureOf(error)
    } finally {
      aside -= 1
    }
  }

  /** Appends without reading first, and reads only after a failure. */
  const commitAppends = async (changes: ReadonlyArray<Change>): Promise<Outcomes> => {
    try {
      await append(connections.write, changes, await comparison(), connections.isCurrent())
      onCommitted(changes)
      return changes.map(() => E.right(undefined))
    } catch (error) {
      const isWorthReading =
        error instanceof LogCopied || isCausedByOneChange(error) || isSerializationFailure(error)
      return isWorthReading ? commitTogether(changes) : changes.map(() => failureOf(error))
    }
  }

  const withoutRows = inBatches(commitAppends, TOO_MANY)
  const withRows = inBatches((changes: ReadonlyArray<Change>) => commitRows(changes), TOO_MANY)
  const ofContendedRows = inBatches(
    (changes: ReadonlyArray<Change>) => oneByOne(changes),
    TOO_MANY_HELD,
    CONTENDED_MS,
  )
  const running = new Set<Promise<Outcome>>()

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

  const commitOnce = async (change: Change): Promise<Outcome> => {
    const outcome = await (hasRows(change) ? withRows : withoutRows).add(change)
    return isUnknown(outcome) ? resolveUnknown(change, outcome) : outcome
  }

  return {
    /** Resolves when the change is durable, or has finally failed, or the time to resolve an unknown outcome is over. */
    commit: (change: Change): Promise<Outcome> => {
      const outcome = commitOnce(change)
      running.add(outcome)
      return outcome.finally(() => running.delete(outcome))
    },

    /** Resolves when no change waits. */
    drained: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** A compared row is read and locked, like a written one and a mail. */
const hasRows = ({ compared, rows, mails, settled, withdrawn }: Change): boolean =>
  [compared, rows, mails, settled, withdrawn].some((items = []) => items.length > 0)

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

const failureOf = (error: unknown): Outcome =>
  E.left({
    _tag: 'StoreUnavailable',
    reason: reasonOf(error),
    ...(error instanceof OutcomeUnknown ? { outcome: 'unknown' } : {}),
  })

const isUnknown = (outcome: Outcome): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable' && outcome.left.outcome === 'unknown'

/** Another transaction wrote first. A second attempt reads what it has written. */
const isRetryable = (error: unknown): boolean =>
  error instanceof WriteRace || stateOf(error) === '23505' || isSerializationFailure(error)

/** The database refuses a value, or a constraint or trigger does, or a row is locked, or one change takes long. */
const isCausedByOneChange = (error: unknown): boolean =>
  error instanceof WriteRace || isTooSlow(error) || /^(22|23|P0)/.test(stateOf(error) ?? '')

const TOO_MANY: Outcome = unavailable('too many changes wait for PostgreSQL')
const TOO_MANY_HELD: Outcome = unavailable('too many changes wait for locked rows of PostgreSQL')

/** A batch waits for a locked row only as long as the next batch can wait, too. */
const TOGETHER: Limits = { ...LIMITS, lockMs: 1_000 }

/** A change alone takes milliseconds. */
const BRIEFLY: Limits = { statementMs: 300, lockMs: 100 }

/** What is left of the ten seconds of a request after a batch and its changes one by one. */
const ASIDE: Limits = { statementMs: 3_000, lockMs: 2_500 }
const ONE_BY_ONE_MS = 2_000

const MOST_ASIDE = 2

/** How often a batch that met a lock is divided into changes of locked rows and others. Each takes a second. */
const LOOKS = 2

/** So that a change of a locked row fails within the ten seconds of its request, after the wait of its batch and before the wait aside. */
const CONTENDED_MS = 2_000

/** For each failed attempt, another transaction has committed. */
const ATTEMPTS = 10

/** Longer than the restart of a server, and short enough for a service that must stop meanwhile. */
const RESOLVE_TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000
