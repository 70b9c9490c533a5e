import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from './pages.ts'
import { retryOnConflict, type Tagged } from './retry-on-conflict.ts'

/** No application has this id or name. */
export type ApplicationUnknown = Readonly<{ _tag: 'ApplicationUnknown' }>

/** Several applications have this name, so only an id can tell which one is meant. */
export type NameAmbiguous = Readonly<{ _tag: 'NameAmbiguous'; ids: ReadonlyArray<string> }>

/** An operator names no application, or more than one. */
export type NotNamed = ApplicationUnknown | NameAmbiguous

export type ApplicationLookup = Pick<Store, 'findApplication' | 'listRows'>

/**
 * Changes an application for an operator, with `retryOnConflict`.
 *
 * @param idOrName is looked up once: after a conflict the same application is read again, whatever its name is by then
 */
export const changeApplication = <E extends Tagged, A>(
  store: ApplicationLookup,
  idOrName: string,
  change: (application: Application) => TE.TaskEither<E | Conflict, A>,
): TE.TaskEither<E | NotNamed | Overloaded | StoreUnavailable, A> =>
  pipe(
    namedApplication(store, idOrName),
    TE.chainW(
      retryOnConflict(
        ({ id }: Application) =>
          pipe(
            store.findApplication(id),
            TE.chainW(TE.fromOption((): ApplicationUnknown => ({ _tag: 'ApplicationUnknown' }))),
          ),
        change,
      ),
    ),
  )

/**
 * Returns the application that an operator names by its id or by a name that no other has. An id wins over an equal name. A revoked
 * application has its name only while no other application uses the name.
 */
export const namedApplication =
  (store: ApplicationLookup, idOrName: string): TE.TaskEither<NotNamed | StoreUnavailable, Application> =>
  async () => {
    const byId = await store.findApplication(idOrName)()
    if (isLeft(byId)) return byId
    if (isSome(byId.right)) return right(byId.right.value)
    const named: Array<Application> = []
    for await (const page of pages(
      (after, limit) => store.listRows({ table: 'applications', after, limit }),
      '',
      ({ id }) => id,
    )) {
      if (isLeft(page)) return page
      named.push(...page.right.filter(({ name }) => name === idOrName))
    }
    const live = named.filter(({ revoked }) => !revoked)
    return onlyOne(live.length > 0 ? live : named)
  }

const onlyOne = (named: ReadonlyArray<Application>): Either<NotNamed, Application> => {
  const [application, another] = named
  if (application === undefined) return left({ _tag: 'ApplicationUnknown' })
  return another === undefined
    ? right(application)
    : left({ _tag: 'NameAmbiguous', ids: named.map(({ id }) => id) })
}
