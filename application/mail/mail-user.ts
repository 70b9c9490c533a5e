import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isStillAsked, MAIL_KINDS, type Mail } from '../../domain/mail.ts'
import type { User } from '../../domain/user.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findAccount } from '../recording/change-user.ts'

export type MailReads = Pick<Store, 'findUser' | 'findUserByEmail' | 'findApplication'>

/** A mail as it is to be sent now. Only that of a registration goes to an address without a user. */
export type AddressedMail = Readonly<{ mail: Mail; user: Option<User> }>

/**
 * Returns whom a mail is about, as of now. None if it must not be sent: the account does not exist, was removed or disabled, or the
 * application was revoked that the link is for.
 *
 * A registration for an e-mail that has an account tells its owner so. The request did not look, because its time would show the account.
 */
export const addressMail = (
  store: MailReads,
  mail: Mail,
): TE.TaskEither<StoreUnavailable, Option<AddressedMail>> =>
  pipe(
    isSome(mail.userId) ? store.findUser(mail.userId.value) : findAccount(store, mail.address),
    TE.map((user): Option<AddressedMail> => {
      if (mail.kind === 'registration' && isNone(user)) return some({ mail, user })
      const known: Mail = mail.kind === 'registration' ? { ...mail, kind: 'registration_known' } : mail
      return isSome(user) && isWanted(known, user.value) ? some({ mail: known, user }) : none
    }),
    TE.chain((addressed) =>
      isNone(addressed)
        ? TE.right(none)
        : pipe(
            isApplicationRevoked(store, mail),
            TE.map((isRevoked) => (isRevoked ? none : addressed)),
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
