import { pipe } from 'fp-ts/lib/function.js'
import { filter, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import type { Application } from '../../domain/application.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Returns the application with this id if it is a client: it has redirect URIs, and is not revoked. Its id is the `client_id`. */
export type FindClient = (id: string) => TE.TaskEither<StoreUnavailable, Option<Application>>

export const findClient =
  ({ store }: Readonly<{ store: Pick<Store, 'findApplication'> }>): FindClient =>
  (id) =>
    isUuid(id)
      ? pipe(
          store.findApplication(id),
          TE.map(
            filter(({ revoked, redirectUris }) => !revoked && redirectUris.length > 0 && !isAccountPages(id)),
          ),
        )
      : TE.right(none)
