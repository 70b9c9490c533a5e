import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isStillAsked, MAIL_KINDS, type Mail } from '../../domain/mail.ts'
import type { User } from '../../domain/user.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findAccount } from '../recording/change-user.ts'

export type MailReads = Pick<Store, 'findUser' | 'findUserByEmail' | 'findApplication'>

/**
 * Returns whom a mail is about, as of now. None if it must not be sent: the account does not exist, was removed or disabled, or the
 * application was revoked that the link is for.
 */
export const mailUser = (store: MailReads, mail: Mail): TaskEither<StoreUnavailable, Option<User>> =>
  pipe(
    isSome(mail.userId) ? store.findUser(mail.userId.value) : findAccount(store, mail.address),
    TE.map(filter((user: User) => isWanted(mail, user))),
    TE.chain((user) =>
      isNone(user)
        ? TE.right(none)
        : pipe(
            isApplicationRevoked(store, mail),
            TE.map((isRevoked) => (isRevoked ? none : user)),
          ),
    ),
  )

const isWanted = (mail: Mail, user: User): boolean =>
  (user.status === 'enabled' || MAIL_KINDS[mail.kind].outlivesUser) && isStillAsked(mail, user)

const isApplicationRevoked = (
  store: Pick<Store, 'findApplication'>,
  { applicationId }: Mail,
): TaskEither<StoreUnavailable, boolean> =>
  isSome(applicationId)
    ? pipe(
        store.findApplication(applicationId.value),
        TE.map((found) => !isSome(found) || found.value.revoked),
      )
    : TE.right(false)
