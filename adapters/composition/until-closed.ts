import { type Either, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ClosingMark } from '../../application/copying/watch-mark.ts'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import { STORE_METHODS, type Store, type StoreUnavailable } from '../../application/ports/store.ts'
import { closedByCopy } from '../stores/records/copy-mark.ts'

/**
 * The same store, until a copy has closed it. Then it refuses reads, too: they would show what the store contained before it moved, for
 * as long as the service runs. The service answers 503.
 */
export const untilClosed = (
  store: Store & Partial<LogTree>,
  closed: Promise<ClosingMark>,
): Store & Partial<LogTree> => {
  let refusal: Either<StoreUnavailable, never> | undefined
  void closed.then(({ state, place }) => {
    refusal = left(closedByCopy(state === 'moved', place))
  })
  const refusing = <Port extends object, Name extends keyof Port & string>(
    port: Port,
    names: ReadonlyArray<Name>,
  ): Pick<Port, Name> =>
    Object.fromEntries(
      names.map((name) => {
        const called =
          (...given: ReadonlyArray<never>): Task =>
          async () =>
            refusal ?? (port[name] as Method).apply(port, given as never)()
        return [name, called]
      }),
    ) as Pick<Port, Name>
  const tree = treeOf(store)
  return {
    ...refusing<Store, keyof Omit<Store, 'close'>>(store, STORE_METHODS),
    ...(tree && refusing(tree, Object.keys(tree) as ReadonlyArray<keyof LogTree>)),
    close: () => store.close(),
  }
}

type Task = TaskEither<unknown, unknown>
type Method = (...given: ReadonlyArray<never>) => Task
