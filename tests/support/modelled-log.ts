import { sqliteReadModel } from '../../adapters/stores/sqlite/read-model.ts'
import type { ReadModel } from '../../application/ports/read-model.ts'
import type { NewEntry, Store } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'
import { AT, newId } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

type Given = Readonly<{ at?: string; user?: string; application?: string }>

const sharedOf = ({ at = AT, application }: Given) => ({
  id: newId(),
  at,
  actor:
    application === undefined
      ? { kind: 'nobody' as const }
      : { kind: 'application' as const, id: application },
})

/** A refused sign-in. */
export const aRefusal = (reason: 'unknown_email' | 'wrong_password', given: Given = {}): NewEntry => ({
  ...sharedOf(given),
  type: 'SignInRefused',
  version: 1,
  subject: given.user === undefined ? SERVICE : { kind: 'user', id: given.user },
  data: { reason },
})

/** A refused password change, which has codes and no reason. */
export const aRefusedChange = (codes: ReadonlyArray<number>, user: string): NewEntry => ({
  id: newId(),
  at: AT,
  actor: { kind: 'user', id: user },
  type: 'PasswordChangeRefused',
  version: 1,
  subject: { kind: 'user', id: user },
  data: { codes },
})

/** The summary of further refused sign-ins. */
export const aSummary = (
  reasons: Partial<Record<RefusalReason, number>>,
  { at = AT, user }: Given = {},
): NewEntry => ({
  ...sharedOf({ at }),
  type: 'RefusalsSummarized',
  version: 1,
  subject: SERVICE,
  data: {
    type: 'SignInRefused',
    count: countOf(reasons),
    from: at,
    to: at,
    reasons: Object.entries(reasons).map(([reason, count]) => ({ reason: reason as RefusalReason, count })),
    subjects: user === undefined ? [] : [{ id: user, count: countOf(reasons) }],
  },
})

const countOf = (reasons: Partial<Record<RefusalReason, number>>): number =>
  Object.values(reasons).reduce((sum, count) => sum + count, 0)

/** An end of all sessions, which is never pruned. */
export const aLastingEntry = (given: Given = {}): NewEntry => ({
  ...sharedOf(given),
  type: 'SessionsEnded',
  version: 1,
  subject: { kind: 'user', id: given.user ?? 'ada' },
  data: { sessions_version: 2 },
})

/** The note of a pruning. The read model does not ask for its proof. */
export const aPruning = (through: number, entries: number): NewEntry => ({
  ...sharedOf({}),
  type: 'LogPruned',
  version: 1,
  subject: SERVICE,
  data: { before: AT, through, entries, proof: '' },
})

/** Appends entries to the log in one change. */
export const append = (store: Store, ...events: ReadonlyArray<NewEntry>): Promise<void> => {
  const [first, ...more] = events
  if (first === undefined) return Promise.resolve()
  return commitAll(store, { id: first.id, events: [first, ...more], compared: [], rows: [] })
}

/** A read model in a file, which counts how often it was built again. */
export const modelIn = (path: string): ReadModel & { rebuilds: () => number } => {
  let rebuilds = 0
  const model = sqliteReadModel(path, () => {
    rebuilds += 1
  })
  return { ...model, rebuilds: () => rebuilds }
}

/** Every entry. */
export const EVERY = {
  filter: {},
  after: 0,
  through: Number.MAX_SAFE_INTEGER,
  limit: 10_000,
  isReverse: false,
}
