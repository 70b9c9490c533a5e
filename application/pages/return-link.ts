import { pipe } from 'fp-ts/lib/function.js'
import { chain, fromEither, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import { type Field, isPresent } from '../../domain/field.ts'
import { validateReturnTo } from '../../domain/return-urls.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Where a person goes back to after a page: a URL, and whose return URL it is. */
export type Back = Readonly<{ applicationId: Field; returnTo: Field }>

/** Returns the URL if it is a return URL of the application now. Anyone can write a link with another one. */
export const returnUrlOf = ({ revoked, returnUrls }: Application, returnTo: Field): Option<string> =>
  revoked
    ? none
    : pipe(
        fromEither(validateReturnTo(returnTo, returnUrls)),
        chain((url) => url),
      )

/** The same for an application that a link only names. */
export type FindReturnUrl = (back: Back) => TE.TaskEither<StoreUnavailable, Option<string>>

export const findReturnUrl =
  ({ store }: Readonly<{ store: Pick<Store, 'findApplication'> }>): FindReturnUrl =>
  ({ applicationId, returnTo }) =>
    isPresent(applicationId) && isPresent(returnTo)
      ? pipe(
          store.findApplication(applicationId),
          TE.map(chain((application) => returnUrlOf(application, returnTo))),
        )
      : TE.right(none)
