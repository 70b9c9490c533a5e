import type { ComparedRow, Row } from '../../../application/ports/store.ts'
import type { Fact } from '../../../application/recording/facts.ts'
import type { Event, EventType } from '../../../domain/event.ts'
import type { User } from '../../../domain/user.ts'
import { aUser, registered, SCHEME } from '../builders.ts'

/** A fact, and what must follow from it. */
export type Case<Type extends EventType> = Readonly<{
  fact: Fact
  /** What the log says. */
  event: Extract<Event, { type: Type }>
  /** The rows that the change writes. */
  rows: ReadonlyArray<Row>
  /** The rows that the change compares and does not write. */
  compared?: ReadonlyArray<ComparedRow>
  /** What has to have happened first. */
  before: ReadonlyArray<Fact>
}>

/** One of each of these types. */
export type CasesOf<Types extends EventType> = { [Type in Types]: Case<Type> }

/** The user is registered, rehashed and has the password set again. So no two of the versions are equal, and none is taken for another. */
export const aChangedUser = (): { user: User; before: ReadonlyArray<Fact> } => {
  const user = aUser()
  const password = { record: '1$$cmVoYXNo', scheme: SCHEME }
  const rehashed = { ...user, passwordRecord: password.record, version: 2 }
  return {
    user: { ...rehashed, passwordVersion: 2, version: 3 },
    before: [
      registered(user),
      { _tag: 'PasswordRehashed', user, password },
      { _tag: 'PasswordSet', user: rehashed, password },
    ],
  }
}
