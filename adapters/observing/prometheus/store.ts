import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Counter, type Registry } from 'prom-client'
import type {
  Change,
  Conflict,
  EmailTaken,
  Store,
  StoreUnavailable,
} from '../../../application/ports/store.ts'
import { REASON_CLASSES, reasonClassOf } from './reasons.ts'
import { counter, histogram } from './tallies.ts'

/** A store that is measured: what its commits come to and how long they take, and where it could not do it. */
export const measuredStore = (registry: Registry, store: Store): Store => {
  const { failed, committed } = storeMeters(registry)

  /** Passes on what a read comes to. */
  const read =
    <A>(method: Read, task: TaskEither<StoreUnavailable, A>): TaskEither<StoreUnavailable, A> =>
    () =>
      task().then((outcome) => {
        if (isLeft(outcome)) failed(method, outcome.left)
        return outcome
      })

  const commit = (change: Change): ReturnType<Store['commit']> => {
    const task = store.commit(change) // the same again where it is asked for again
    return async () => {
      const begunAt = performance.now()
      const outcome = await task()
      committed(outcome, (performance.now() - begunAt) / 1000)
      return outcome
    }
  }

  return {
    commit,
    findApplication: (id) => read('findApplication', store.findApplication(id)),
    findTokenHolder: (applicationId, tokenId) =>
      read('findTokenHolder', store.findTokenHolder(applicationId, tokenId)),
    findUserByEmail: (email) => read('findUserByEmail', store.findUserByEmail(email)),
    findSession: (id) => read('findSession', store.findSession(id)),
    listSessions: (query) => read('listSessions', store.listSessions(query)),
    listPasswordSchemes: () => read('listPasswordSchemes', store.listPasswordSchemes()),
    listSigningKeys: () => read('listSigningKeys', store.listSigningKeys()),
    listRows: (query) => read('listRows', store.listRows(query)),
    readEvents: (query) => read('readEvents', store.readEvents(query)),
    readEpoch: () => read('readEpoch', store.readEpoch()),
    renewEpoch: (entryOf) => read('renewEpoch', store.renewEpoch(entryOf)),
    checkWritable: () => read('checkWritable', store.checkWritable()),
    close: () => store.close(),
  }
}

type Method = Exclude<keyof Store, 'close'>
type Read = Exclude<Method, 'commit'>

const storeMeters = (registry: Registry) => {
  const commits = counter(registry, {
    name: 'portcullis_store_commits_total',
    help: 'Commits that were asked for, by what came of them.',
    labelNames: ['outcome'],
  })
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, commits({ outcome })]))
  const took = histogram(
    registry,
    {
      name: 'portcullis_store_commit_duration_seconds',
      help: 'Time from asking for a commit to knowing what came of it.',
      labelNames: [],
    },
    SECONDS,
  )({})
  const errors = new Counter({
    name: 'portcullis_store_errors_total',
    help: 'What the store could not do, by the method of the port that was called and a class of reasons.',
    labelNames: ['method', 'reason'],
    registers: [registry],
  })
  for (const method of Object.keys(METHODS))
    for (const reason of REASON_CLASSES) errors.inc({ method, reason }, 0)

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

const METHODS: Readonly<Record<Method, true>> = {
  commit: true,
  findApplication: true,
  findTokenHolder: true,
  findUserByEmail: true,
  findSession: true,
  listSessions: true,
  listPasswordSchemes: true,
  listSigningKeys: true,
  listRows: true,
  readEvents: true,
  readEpoch: true,
  renewEpoch: true,
  checkWritable: true,
}

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

/** From a fast disk to a database that is asked again for a quarter of a minute. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
