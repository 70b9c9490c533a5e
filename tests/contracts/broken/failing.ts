import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Change, Store, StoreUnavailable } from '../../../application/ports/store.ts'
import { METHODS } from '../store/methods.ts'
import type { OpenFailingStore, OpenLosingStore } from '../store.ts'
import type { BrokenOne } from './a-contract.ts'
import { underNewIds } from './broken.ts'
import { always, through } from './closing.ts'

const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'it is away' }

/** A store in memory that fails as long as it is told to. */
export const failingMemory: OpenFailingStore = async () =>
  failingAs(
    memoryStore(),
    always(() => TE.left(AWAY)),
  )

/** A store in memory that writes a change and does not know it. */
export const losingMemory: OpenLosingStore = async () => {
  const core = memoryStore()
  return losing(core, (change) => async () => {
    await core.commit(change)()
    return TE.left({ ...AWAY, outcome: 'unknown' } as const)()
  })
}

const EVERY_METHOD = METHODS.map(([method]) => `${method} neither throws nor rejects while the store fails`)
const TRULY = 'a store that fails has told truly what it has not written'

/** Stores that do not say that they fail, or say it wrongly. */
export const BROKEN_FAILING: ReadonlyArray<BrokenOne<OpenFailingStore>> = [
  {
    breaks: 'rejects while it fails',
    caughtBy: EVERY_METHOD,
    open: async () =>
      failingAs(
        memoryStore(),
        always(() => () => Promise.reject(new Error('away'))),
      ),
  },
  {
    breaks: 'throws at who asks while it fails',
    caughtBy: EVERY_METHOD,
    open: async () =>
      failingAs(
        memoryStore(),
        always(() => {
          throw new Error('away')
        }),
      ),
  },
  {
    breaks: 'does not say why it fails',
    caughtBy: EVERY_METHOD,
    open: async () =>
      failingAs(
        memoryStore(),
        always(() => TE.left({ ...AWAY, reason: '' })),
      ),
  },
  {
    breaks: 'says that it is done while it fails',
    caughtBy: ['commit neither throws nor rejects while the store fails', TRULY],
    open: async () =>
      failingAs(memoryStore(), { ...always(() => TE.left(AWAY)), commit: () => TE.right(undefined) }),
  },
  {
    breaks: 'writes what it has refused once it can',
    caughtBy: [TRULY],
    open: async () => {
      const core = memoryStore()
      const later: Array<Change> = []
      const opened = failingAs(core, {
        ...always(() => TE.left(AWAY)),
        commit: (change) => async () => {
          later.push(change)
          return TE.left(AWAY)()
        },
      })
      return {
        ...opened,
        mend: async () => {
          for (const change of later) await core.commit(change)()
          return opened.mend()
        },
      }
    },
  },
  {
    breaks: 'takes no change of then any more',
    caughtBy: [TRULY],
    open: async () => {
      const core = memoryStore()
      const opened = failingAs(
        core,
        always(() => TE.left(AWAY)),
      )
      return { ...opened, mend: async () => ({ ...core, commit: () => TE.left(AWAY) }) }
    },
  },
]

const UNKNOWN = 'a commit whose answer is lost is unknown, or found to be done'
const ONCE = 'a change whose answer was lost is written once when it is committed again'
const EACH = 'of commits at once whose answers are lost each is told truly'

/** Stores that do not know that they do not know. */
export const BROKEN_LOSING: ReadonlyArray<BrokenOne<OpenLosingStore>> = [
  brokenLosing(
    'says of a lost answer that nothing was written',
    [UNKNOWN, EACH],
    (core) => (change) => async () => {
      await core.commit(change)()
      return TE.left(AWAY)()
    },
  ),
  brokenLosing('says of a lost answer that all is done', [UNKNOWN, EACH], () => () => TE.right(undefined)),
  brokenLosing(
    'says of a lost answer that it met a conflict',
    [UNKNOWN, EACH],
    () => () => TE.left({ _tag: 'Conflict' }),
  ),
  brokenLosing(
    'rejects when an answer is lost',
    [UNKNOWN, ONCE, EACH],
    () => () => () => Promise.reject(new Error('lost')),
  ),
  brokenLosing(
    'writes the log alone before an answer is lost',
    [ONCE, EACH],
    (core) => (change) => async () => {
      await core.commit({ ...change, rows: [] })()
      return TE.right(undefined)()
    },
  ),
  brokenLosing(
    'forgets the id of a change whose answer was lost',
    [ONCE, EACH],
    (core) => (change) => async () => {
      await core.commit(underNewIds(change))()
      return TE.left({ ...AWAY, outcome: 'unknown' } as const)()
    },
  ),
]

function brokenLosing(
  breaks: string,
  caughtBy: ReadonlyArray<string>,
  commit: (core: Store) => Store['commit'],
): BrokenOne<OpenLosingStore> {
  return {
    breaks,
    caughtBy,
    open: async () => {
      const core = memoryStore()
      return losing(core, commit(core))
    },
  }
}

const failingAs = (core: Store, failing: Store) => {
  let current = core
  return {
    store: { ...through(() => current), close: core.close },
    fail: async () => {
      current = failing
    },
    mend: async () => core,
  }
}

/** The store, whose next commits are made in this way until it is mended. */
const losing = (core: Store, commit: Store['commit']) => {
  let isLosing = false
  return {
    store: { ...core, commit: (change: Change) => (isLosing ? commit : core.commit)(change) },
    loseAnswer: async () => {
      isLosing = true
    },
    mend: async () => core,
  }
}
