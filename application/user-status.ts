import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { User } from '../domain/user.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { Fact } from './recording/facts.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'
import { toUser, type UserUnknown } from './recording/user-by-email.ts'

/** An operator decides whether a user may sign in. To do it twice is to do it once. */
export type SetUserStatus = (
  call: RequestContext,
  email: string,
) => TaskEither<UserUnknown | Overloaded | StoreUnavailable, { id: string; email: string }>

type Accounts = Pick<Store, 'findUserByEmail'>

/** No sign-in any more, and every session ends for good. */
export const disableUser = ({
  store,
  record,
}: Readonly<{ store: Accounts; record: Recorder }>): SetUserStatus =>
  toUser(store, record, (user) => unlessAlready('disabled', user, { _tag: 'UserDisabled', user }))

/** Sign-ins again. */
export const enableUser = ({
  store,
  record,
}: Readonly<{ store: Accounts; record: Recorder }>): SetUserStatus =>
  toUser(store, record, (user) => unlessAlready('enabled', user, { _tag: 'UserEnabled', user }))

/** Nothing of the user stays but an id, and the e-mail may be registered again. */
export const removeUser = ({
  store,
  record,
}: Readonly<{ store: Accounts; record: Recorder }>): SetUserStatus =>
  toUser(store, record, (user) => some({ _tag: 'UserRemoved', user }))

const unlessAlready = (status: User['status'], user: User, fact: Fact): Option<Fact> =>
  user.status === status ? none : some(fact)
