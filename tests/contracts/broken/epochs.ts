import { right } from 'fp-ts/lib/Either.js'
import { altered, type Broken, broken } from './broken.ts'

const EACH = 'each renewal gives the log an epoch that it never had, and resolves with it'
const APPENDS = 'a renewal appends its entry, which knows the epoch and the size before it'
const AT_ONCE = 'renewals and commits at once leave no gap, and each renewal knows the one before'

/** Stores whose epoch does not tell one log from another. */
export const BROKEN_EPOCHS: ReadonlyArray<Broken> = [
  broken(
    'has no epoch before it is renewed',
    'the epoch is 8 hexadecimal digits, before anything is written',
    (store) => {
      let epoch = ''
      return {
        readEpoch: () => async () => right(epoch),
        renewEpoch: (entryOf) => async () => {
          const renewed = await store.renewEpoch(entryOf)()
          if (renewed._tag === 'Right') epoch = renewed.right
          return renewed
        },
      }
    },
  ),
  broken(
    'takes another epoch with each commit',
    'the epoch stays the same, whatever is committed',
    (store) => {
      let commits = 0
      return {
        commit: (change) => {
          commits += 1
          return store.commit(change)
        },
        readEpoch: () =>
          altered(store.readEpoch(), (epoch) =>
            commits === 0 ? epoch : commits.toString(16).padStart(8, '0'),
          ),
      }
    },
  ),
  broken('keeps its epoch when it is renewed', [EACH, AT_ONCE], (store) => {
    const epoch = store.readEpoch()()
    return { readEpoch: () => () => epoch }
  }),
  broken('resolves with the epoch before', EACH, (store) => ({
    renewEpoch: (entryOf) => async () => {
      const before = await store.readEpoch()()
      await store.renewEpoch(entryOf)()
      return before
    },
  })),
  broken('comes back to an epoch', EACH, (store) => {
    const epochs = ['00000001', '00000002', '00000003']
    let renewals = 0
    const epoch = () => epochs[renewals % epochs.length] ?? ''
    return {
      readEpoch: () => altered(store.readEpoch(), epoch),
      renewEpoch: (entryOf) => async () => {
        const outcome = await store.renewEpoch(({ size }) => entryOf({ epoch: epoch(), size }))()
        renewals += 1
        return outcome._tag === 'Right' ? right(epoch()) : outcome
      },
    }
  }),
  broken('tells a renewal the size behind it', [APPENDS, AT_ONCE], (store) => ({
    renewEpoch: (entryOf) => store.renewEpoch(({ epoch, size }) => entryOf({ epoch, size: size + 1 })),
  })),
  broken('tells a renewal another epoch', [APPENDS, AT_ONCE], (store) => ({
    renewEpoch: (entryOf) => store.renewEpoch(({ size }) => entryOf({ epoch: '00000000', size })),
  })),
  broken('logs no renewal', APPENDS, (store) => ({
    readEvents: (query) =>
      altered(store.readEvents(query), (entries) => entries.filter(({ type }) => type !== 'LogRenewed')),
  })),
  broken(
    'renews although its entry is refused',
    'a renewal whose entry is in the log already renews nothing',
    (store) => {
      let refusals = 0
      return {
        renewEpoch: (entryOf) => async () => {
          const outcome = await store.renewEpoch(entryOf)()
          if (outcome._tag === 'Left') refusals += 1
          return outcome
        },
        readEpoch: () =>
          altered(store.readEpoch(), (epoch) =>
            refusals === 0 ? epoch : refusals.toString(16).padStart(8, '0'),
          ),
      }
    },
  ),
  broken('reads the size before it waits its turn', AT_ONCE, (store) => ({
    renewEpoch: (entryOf) => async () => {
      const log = await store.readEvents({ after: 0, limit: 10_000 })()
      const size = log._tag === 'Right' ? log.right.length : 0
      await new Promise(setImmediate)
      return store.renewEpoch(({ epoch }) => entryOf({ epoch, size }))()
    },
  })),
]
