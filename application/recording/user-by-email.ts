import { pipe } from 'fp-ts/lib/function.js'
import { filter, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { User } from '../../domain/user.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Returns the user with this e-mail. A removed user has none: its id replaces the e-mail, and must not match. */
export const findAccount = (
  store: Pick<Store, 'findUserByEmail'>,
  email: string,
): TE.TaskEither<StoreUnavailable, Option<User>> =>
  pipe(store.findUserByEmail(email), TE.map(filter(({ status }: User) => status !== 'removed')))
