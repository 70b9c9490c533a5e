import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import { retryOnConflict, type Tagged } from './retry-on-conflict.ts'

/** No application has this id. */
export type ApplicationUnknown = Readonly<{ _tag: 'ApplicationUnknown' }>

/** Changes an application for an operator, with `retryOnConflict`. */
export const changeApplication = <E extends Tagged, A>(
  store: Pick<Store, 'findApplication'>,
  id: string,
  change: (application: Application) => TE.TaskEither<E | Conflict, A>,
): TE.TaskEither<E | ApplicationUnknown | Overloaded | StoreUnavailable, A> => {
  const read = pipe(
    store.findApplication(id),
    TE.chainW(TE.fromOption((): ApplicationUnknown => ({ _tag: 'ApplicationUnknown' }))),
  )
  return pipe(read, TE.chainW(retryOnConflict(() => read, change)))
}
