import { left } from 'fp-ts/lib/Either.js'
import { change, issuedToken } from '../builders.ts'
import { type Broken, broken } from './broken.ts'

const TAKES_CHANGES = 'a store that takes changes can be written, before the first one and after'

/** Stores that say something else about writing than what is so. */
export const BROKEN_WRITABILITY: ReadonlyArray<Broken> = [
  broken('cannot be written before the first change', TAKES_CHANGES, (store) => {
    let isEmpty = true
    return {
      commit: (written) => {
        isEmpty = false
        return store.commit(written)
      },
      checkWritable: () => async () =>
        isEmpty ? left({ _tag: 'StoreUnavailable', reason: 'nothing is there' }) : store.checkWritable()(),
    }
  }),
  broken('cannot be written after the first change', TAKES_CHANGES, (store) => {
    let isEmpty = true
    return {
      commit: (written) => {
        isEmpty = false
        return store.commit(written)
      },
      checkWritable: () => async () =>
        isEmpty ? store.checkWritable()() : left({ _tag: 'StoreUnavailable', reason: 'it is full' }),
    }
  }),
  broken(
    'writes an event to see whether it can be written',
    'to ask whether a store can be written leaves no trace in the log',
    (store) => ({
      checkWritable: () => async () => {
        await store.commit(change(issuedToken()))()
        return store.checkWritable()()
      },
    }),
  ),
]
