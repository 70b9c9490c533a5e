import type { Change, Store } from '../../../application/ports/store.ts'
import { OBJECT_READS, RECORD_READS } from '../store/reads.ts'
import { altered, type Broken, broken } from './broken.ts'

/** Stores that share objects with their callers. */
export const SHARING_OBJECTS: ReadonlyArray<Broken> = [
  ...RECORD_READS.map(([method]) =>
    broken(
      `lets ${method} answer with what it was given`,
      `${method} does not show what was altered in a change after its commit`,
      (store) => answeringWithGiven(store, method),
    ),
  ),
  ...OBJECT_READS.map(([method]) =>
    broken(
      `lets ${method} answer with what it has answered before`,
      `${method} does not show what was altered in an earlier answer`,
      (store) => answeringAgain(store, method),
    ),
  ),
]

type Method = (typeof OBJECT_READS)[number][0]
type Ask = (...asked: ReadonlyArray<unknown>) => ReturnType<Store['listSigningKeys']>

const answeringWithGiven = (store: Store, method: Method): Partial<Store> => {
  const given = new Map<unknown, object>()
  const keep = ({ events, rows }: Change): void => {
    for (const one of [...events, ...rows.map(({ row }) => row)]) given.set(one.id, one)
  }
  const ask = store[method] as Ask
  return {
    commit: (change) => async () => {
      keep(change)
      return store.commit(change)()
    },
    [method]: (...asked: ReadonlyArray<unknown>) =>
      altered<unknown, unknown>(ask(...asked), (value) => withGiven(value, given)),
  }
}

/** The same value, in which each record shares its parts with the one that was given under its id. */
const withGiven = (value: unknown, given: ReadonlyMap<unknown, object>): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => withGiven(part, given))
  const one = 'id' in value ? given.get(value.id) : undefined
  if (one !== undefined) return 'position' in value ? { ...one, position: value.position } : one
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withGiven(part, given)]))
}

const answeringAgain = (store: Store, method: Method): Partial<Store> => {
  const ask = store[method] as Ask
  let answer: ReturnType<ReturnType<Ask>> | undefined
  return {
    [method]:
      (...asked: ReadonlyArray<unknown>) =>
      async () => {
        answer ??= ask(...asked)()
        return answer
      },
  }
}
