import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import type { User } from '../../domain/user.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'
import { operatorOf, type Recorder, type RequestContext, ruleOut } from '../recording/recorder.ts'
import type { ReadPasswordRecord } from './import-users.ts'

/**
 * Exports all users except removed ones, with their password records, for an operator (docs/import.md, "Leave"). It yields one step
 * after the other, and stops after a failure. Nothing happens before the first step is asked for, or after the caller stops asking.
 *
 * First it counts the users. Then it commits `UsersExported`. Only then it yields users, in pages, ascending by id, each as it is when
 * its page is read. So no caller has a record whose export the log does not contain.
 */
export type ExportUsers = (
  context: RequestContext,
) => AsyncGenerator<Either<StoreUnavailable, ExportStep>, void>

export type ExportStep =
  /** So many users are counted up to now. */
  | Readonly<{ _tag: 'Counted'; users: number }>
  /** `UsersExported` is in the log, with this count. */
  | Readonly<{ _tag: 'Noted'; users: number }>
  | Readonly<{ _tag: 'Read'; users: ReadonlyArray<ExportedUser> }>

/** A user, and the scheme of its record. Without a scheme, an import refuses the record. */
export type ExportedUser = Readonly<{ user: User; scheme: string | undefined }>

type Dependencies = Readonly<{
  store: Pick<Store, 'listUsers'>
  readPasswordRecord: ReadPasswordRecord
  record: Recorder
}>

export const exportUsers = ({ store, readPasswordRecord, record }: Dependencies): ExportUsers =>
  async function* (context) {
    let count = 0
    for await (const page of userPages(store)) {
      if (isLeft(page)) return yield page
      count += page.right.length
      yield right({ _tag: 'Counted', users: count })
    }
    const noted = await record([{ _tag: 'UsersExported', count }], operatorOf(context), context)()
    if (isLeft(noted)) return yield left(ruleOut(noted.left, 'Conflict', 'EmailTaken'))
    yield right({ _tag: 'Noted', users: count })
    for await (const page of userPages(store)) {
      if (isLeft(page)) return yield page
      yield right({ _tag: 'Read', users: page.right.map((user) => exported(user, readPasswordRecord)) })
    }
  }

const userPages = (store: Dependencies['store']) =>
  pages(
    (after: string, limit) => store.listUsers({ after, limit }),
    '',
    ({ id }) => id,
  )

const exported = (user: User, readPasswordRecord: ReadPasswordRecord): ExportedUser => {
  const read = readPasswordRecord(user.passwordRecord)
  return { user, scheme: isRight(read) ? read.right.scheme : undefined }
}
