import type { Store } from '../../../application/ports/store.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { afterCommit, answer, caught, hear } from './stores.ts'

const APPENDS = 'a renewal appends its entry, which knows the epoch and the size before it'
const AT_ONCE = 'renewals and commits at once leave no gap, and each renewal knows the one before'
const EACH = 'each renewal gives the log an epoch that it never had, and resolves with it'

const hexadecimal = (count: number): string => count.toString(16).padStart(8, '0')

/** Reads another epoch after something was counted. */
const epochOf = (store: Store, count: () => number): Partial<Store> =>
  answer('readEpoch', (epoch) => (count() === 0 ? epoch : hexadecimal(count())))(store)

/** Stores whose epoch does not distinguish logs. */
export const EPOCH_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...caught('the epoch is 8 hexadecimal digits, before anything is written', {
    'has no epoch before its first renewal': (store) => {
      let current = ''
      const renewed = answer('renewEpoch', (epoch) => {
        current = epoch
        return epoch
      })
      return { ...renewed(store), ...answer('readEpoch', () => current)(store) }
    },
  }),
  ...caught('commits keep the epoch', {
    'changes its epoch with each commit': (store) => {
      let commits = 0
      return {
        ...afterCommit(store, () => {
          commits += 1
        }),
        ...epochOf(store, () => commits),
      }
    },
  }),
  ...caught([EACH, AT_ONCE], {
    'keeps its epoch when it is renewed': (store) => {
      const epoch = store.readEpoch()()
      return { readEpoch: () => () => epoch }
    },
  }),
  ...caught([APPENDS, AT_ONCE], {
    'tells a renewal another epoch': hear('renewEpoch', (entryOf) => [
      ({ size }) => entryOf({ epoch: '00000000', size }),
    ]),
  }),
  ...caught('a renewal whose entry is in the log already renews nothing', {
    'renews its epoch although the entry is refused': (store) => {
      let refusals = 0
      return {
        renewEpoch: (entryOf) => async () => {
          const outcome = await store.renewEpoch(entryOf)()
          refusals += Number(outcome._tag === 'Left')
          return outcome
        },
        ...epochOf(store, () => refusals),
      }
    },
  }),
]
