import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { User } from '../domain/user.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { Fact } from './recording/facts.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'
import { changeUser, type UserUnknown } from './recording/user-by-email.ts'

/** Changes for an operator whether a user may sign in. A repeated call changes nothing. */
export type SetUserStatus = (
  context: RequestContext,
  email: string,
) => TaskEither<UserUnknown | Overloaded | StoreUnavailable, { id: string; email: string }>

type Dependencies = Readonly<{ store: Pick<Store, 'findUserByEmail'>; record: Recorder }>

/** Blocks sign-in and ends all sessions permanently. */
export const disableUser = (dependencies: Dependencies): SetUserStatus =>
  changeUser(dependencies, (user) => unlessAlready('disabled', user, { _tag: 'UserDisabled', user }))

/** Allows sign-in again. */
export const enableUser = (dependencies: Dependencies): SetUserStatus =>
  changeUser(dependencies, (user) => unlessAlready('enabled', user, { _tag: 'UserEnabled', user }))

/** Deletes everything about the user except the id. The e-mail can be registered again. */
export const removeUser = (dependencies: Dependencies): SetUserStatus =>
  changeUser(dependencies, (user) => some({ _tag: 'UserRemoved', user }))

const unlessAlready = (status: User['status'], user: User, fact: Fact): Option<Fact> =>
  user.status === status ? none : some(fact)
