import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type LogTree, treeOf } from '../ports/log-tree.ts'
import { STORE_METHODS, type Store, type StoreUnavailable } from '../ports/store.ts'

/**
 * The same store, until a copy has closed it. Then it refuses reads, too: they would show what the store contained before it moved, for
 * as long as the service runs. The service answers 503.
 */
export const untilClosed = (
  store: Store & Partial<LogTree>,
  closed: Promise<Either<StoreUnavailable, never>>,
): Store & Partial<LogTree> => {
  let refusal: Either<StoreUnavailable, never> | undefined
  void closed.then((because) => {
    refusal = because
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
