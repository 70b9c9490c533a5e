import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { Counter, type Registry } from 'prom-client'
import {
  type Conflict,
  type EmailTaken,
  STORE_METHODS,
  type StoreUnavailable,
} from '../../../application/ports/store.ts'
import type { StoreObserver } from '../instrumentation/store.ts'
import { REASON_CLASSES, reasonClassOf } from './reasons.ts'
import { counter, histogram } from './series.ts'

/** Counts and times the commits of a store, and counts what it could not do. */
export const storeMetrics = (registry: Registry): StoreObserver => {
  const { failed, committed } = storeMeters(registry)
  return {
    commit: (_change, task) => async () => {
      const begunAt = performance.now()
      const outcome = await task()
      committed(outcome, (performance.now() - begunAt) / 1000)
      return outcome
    },
    call: (method, task) => () =>
      task().then((outcome) => {
        if (isLeft(outcome)) failed(method, outcome.left)
        return outcome
      }),
  }
}

type Method = (typeof STORE_METHODS)[number]

const storeMeters = (registry: Registry) => {
  const commits = counter(registry, {
    name: 'portcullis_store_commits_total',
    help: 'Commits, by outcome.',
    labelNames: ['outcome'],
  })
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, commits({ outcome })]))
  const took = histogram(
    registry,
    {
      name: 'portcullis_store_commit_duration_seconds',
      help: 'Time from a commit to its known outcome.',
      labelNames: [],
    },
    SECONDS,
  )({})
  const errors = new Counter({
    name: 'portcullis_store_errors_total',
    help: 'Errors of the store, by method of its port and class of reasons.',
    labelNames: ['method', 'reason'],
    registers: [registry],
  })
  for (const method of STORE_METHODS) for (const reason of REASON_CLASSES) errors.inc({ method, reason }, 0)

  const failed = (method: Method, { reason }: StoreUnavailable): void =>
    errors.inc({ method, reason: reasonClassOf(reason) })

  return {
    failed,
    committed: (outcome: CommitOutcome, seconds: number): void => {
      counts[nameOf(outcome)]?.()
      took(seconds)
      if (isLeft(outcome) && outcome.left._tag === 'StoreUnavailable') failed('commit', outcome.left)
    },
  }
}

type CommitOutcome = Either<Conflict | EmailTaken | StoreUnavailable, void>

const OUTCOMES = ['committed', 'conflict', 'email_taken', 'unavailable', 'unknown'] as const

const nameOf = (outcome: CommitOutcome): (typeof OUTCOMES)[number] => {
  if (!isLeft(outcome)) return 'committed'
  switch (outcome.left._tag) {
    case 'Conflict':
      return 'conflict'
    case 'EmailTaken':
      return 'email_taken'
    case 'StoreUnavailable':
      return outcome.left.outcome ?? 'unavailable'
  }
}

/** From a fast disk to PostgreSQL, whose store repeats a commit with a lost answer for 15 seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
