import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Change, Row, Store } from '../../../application/ports/store.ts'
import type { OpenLastingStore } from '../store.ts'
import type { BrokenOne } from './a-contract.ts'
import { altered, underNewIds, watched } from './broken.ts'
import { closableHandle } from './handles.ts'

export type BrokenLasting = BrokenOne<OpenLastingStore>

/** A store in memory that outlives its closing, as long as the process lives. */
export const lastingMemory: OpenLastingStore = async () => {
  const core = memoryStore()
  return { store: closableHandle(core), reopen: async () => closableHandle(core) }
}

/** Stores that are not what they were when they are opened again. */
export const BROKEN_LASTING: ReadonlyArray<BrokenLasting> = [
  brokenLasting(
    'forgets everything',
    'every record is there again, as it was last written',
    () => () => memoryStore(),
  ),
  ...(['applications', 'users', 'sessions', 'keys', 'revoked_tokens'] satisfies Array<Row['table']>).map(
    (table) =>
      brokenLasting(
        `forgets its ${table}`,
        'every record is there again, as it was last written',
        (core) => () => ({
          listRows: (query) => altered(core.listRows(query), (rows) => (query.table === table ? [] : rows)),
        }),
      ),
  ),
  brokenLasting('begins another log', 'the log is there again, entry by entry', (core) => () => ({
    readEvents: (query) => altered(core.readEvents(query), () => []),
  })),
  brokenLasting('takes another epoch when it is opened', 'the epoch is there again', () => () => {
    const { readEpoch } = memoryStore()
    return { readEpoch }
  }),
  brokenLasting('skips a position', 'positions go on where they stopped', (core, written) => () => {
    const before = written.length
    return {
      readEvents: (query) =>
        altered(core.readEvents(query), (entries) =>
          entries.map((entry) => ({ ...entry, position: entry.position + Number(entry.position > before) })),
        ),
    }
  }),
  brokenLasting(
    'writes a change of before once more',
    'a change of before is known, and committing it again writes nothing',
    (core, written) => () => ({
      commit: (change) =>
        core.commit(written.includes(change.id) ? { ...underNewIds(change), rows: [] } : change),
    }),
  ),
  brokenLasting(
    'leaves events of before out',
    'an event of before is known, and refused in another change',
    (core, written) => () => ({
      commit: (change) => {
        const [first, ...others] = change.events
        return core.commit({
          ...change,
          events: [first, ...others.filter(({ id }) => !written.includes(id))],
        })
      },
    }),
  ),
  brokenLasting('begins with versions anew', 'versions are those of before', (_, __, versions) => () => ({
    commit: (change) => versions.force(change, () => true),
  })),
  brokenLasting('gives e-mails to others', 'an e-mail of before is taken', (core) => () => ({
    commit: (change) => async () => {
      const outcome = await core.commit(change)()
      return outcome._tag === 'Left' && outcome.left._tag === 'EmailTaken'
        ? { _tag: 'Right', right: undefined }
        : outcome
    },
  })),
  {
    breaks: 'keeps what it refused for the next time',
    caughtBy: ['what was refused has left nothing'],
    open: async () => {
      const core = memoryStore()
      const later: Array<Change> = []
      return {
        store: {
          ...closableHandle(core),
          commit: (change) => async () => {
            const outcome = await core.commit(change)()
            if (outcome._tag === 'Left') later.push({ ...change, rows: change.rows.slice(0, 1) })
            return outcome
          },
        },
        reopen: async () => {
          for (const change of later) await core.commit(change)()
          return closableHandle(core)
        },
      }
    },
  },
  {
    breaks: 'says that it has written what it is going to write',
    caughtBy: ['commits that nobody awaited before it was closed are there'],
    open: async () => {
      const core = memoryStore()
      const handle = closableHandle(core)
      return {
        store: {
          ...handle,
          commit: (change) => async () => {
            setImmediate(handle.commit(change))
            return { _tag: 'Right', right: undefined }
          },
        },
        reopen: async () => closableHandle(core),
      }
    },
  },
  brokenLasting(
    'is there once more, and then no longer',
    'it may be closed and opened again and again',
    () => {
      let lives = 0
      return () => {
        lives += 1
        return lives > 2 ? memoryStore() : {}
      }
    },
  ),
]

/**
 * A store that is as it should be until it is opened again.
 *
 * @param methods what is wrong each time from then on, given what is stored, the ids of all events until then, and
 *   somebody who has watched the versions
 */
function brokenLasting(
  breaks: string,
  caughtBy: string,
  methods: (
    core: Store,
    written: ReadonlyArray<string>,
    versions: ReturnType<typeof watched>,
  ) => () => Partial<Store>,
): BrokenLasting {
  return {
    breaks,
    caughtBy: [caughtBy],
    open: async () => {
      const core = memoryStore()
      const versions = watched(core)
      const written: Array<string> = []
      const first = closableHandle(core)
      const wrong = methods(core, written, versions)
      return {
        store: {
          ...first,
          commit: (change) => async () => {
            const outcome = await versions.commit(change)()
            if (outcome._tag === 'Right') written.push(...change.events.map(({ id }) => id))
            return outcome
          },
        },
        reopen: async () => ({ ...closableHandle(core), ...wrong() }),
      }
    },
  }
}
