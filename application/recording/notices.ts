import { pipe } from 'fp-ts/lib/function.js'
import { alt, fromNullable, isNone, isSome, type Option, some } from 'fp-ts/lib/Option.js'
import { attributesOf } from '../../domain/attributes.ts'
import { changesMailbox } from '../../domain/email-confirmation.ts'
import type { EventType } from '../../domain/event.ts'
import {
  type ExtraMailKind,
  isExtraMail,
  MAIL_KINDS,
  type Mail,
  type MailFacts,
  type MailKind,
  newMail,
} from '../../domain/mail.ts'
import type { User } from '../../domain/user.ts'
import type { Facts } from './events/table.ts'

/** Which notices the service sends. Without mail there are none. */
export type Notices = Readonly<{ extra: ReadonlyArray<ExtraMailKind> }>

/** A notice that follows from a fact. By default it goes to the address of the user before the change, at once. */
type Notice = Readonly<{
  kind: MailKind
  user: Pick<User, 'id' | 'email' | 'attributes'>
  facts?: MailFacts
  address?: string
  later?: Readonly<{ id: string; dueAtSeconds: number }>
}>

/**
 * Which facts cause a notice, here and nowhere else. Import, registration by an application, `UserDisabled` and `UserEnabled` cause none. A
 * change by an operator or an application causes the same as one by the user.
 *
 * `password_leaked` says that someone knows the password, and not the second factor. It is due when the sign-in can no longer be completed,
 * and has the id of its token: the sign-in that uses the token withdraws it.
 */
const CAUSES: { readonly [Type in EventType]?: (fact: Facts[Type]) => ReadonlyArray<Notice> } = {
  UserRegistered: ({ user, isByLink }) => (isByLink ? [{ kind: 'welcome', user }] : []),
  UserSignedIn: ({ session: { label }, newDeviceOf: user }) =>
    user === undefined
      ? []
      : [{ kind: 'new_sign_in', user, facts: isSome(label) ? { device: label.value } : {} }],
  PasswordChanged: ({ user }) => [{ kind: 'password_changed', user }],
  PasswordSet: ({ user }) => [{ kind: 'password_changed', user }],
  PasswordRecovered: ({ user }) => [{ kind: 'password_recovered', user }],
  EmailConfirmed: ({ user, token }) => [
    ...(changesMailbox(user, token.email) ? [{ kind: 'email_changed', user } as const] : []),
    ...(user.emailVerified ? [] : [{ kind: 'welcome', user, address: token.email } as const]),
  ],
  FactorEnrolled: ({ user, factor }) => [{ kind: 'factor_added', user, facts: { factor: factor.kind } }],
  FactorRemoved: ({ user, factor }) => [{ kind: 'factor_removed', user, facts: { factor: factor.kind } }],
  FactorsReset: ({ user, factors }) => (factors.length === 0 ? [] : [{ kind: 'factor_removed', user }]),
  RecoveryCodesGenerated: ({ user, codes }) => [
    { kind: 'recovery_codes', user, facts: { codesLeft: codes.counter, areNew: true } },
  ],
  FactorUsed: ({ user, factor }) =>
    factor.kind === 'recovery_codes'
      ? [{ kind: 'recovery_codes', user, facts: { codesLeft: factor.counter } }]
      : [],
  SecondFactorRequested: ({ user, token }) =>
    isNone(token.first) // else an application vouched for the user, and no password was entered
      ? [{ kind: 'password_leaked', user, later: { id: token.id, dueAtSeconds: token.expiresAtSeconds } }]
      : [],
  UserRemoved: ({ user }) => [{ kind: 'account_removed', user }],
}

/** The types of facts that cause a notice. */
export const NOTICED_TYPES = Object.keys(CAUSES) as ReadonlyArray<EventType>

type Circumstances = Readonly<{
  notices: Notices
  atMilliseconds: number
  /** Of the request, for a user without one. */
  language: Option<string>
  uuid: () => string
}>

/** Returns the mails that follow from the facts of one change. */
export const noticesOf = (
  facts: ReadonlyArray<AnyFact>,
  { notices, atMilliseconds, language, uuid }: Circumstances,
): ReadonlyArray<Mail> => {
  const all = facts.flatMap(causedBy)
  // The codes that come with the first factor are part of its notice.
  const enrols = all.some(({ kind }) => kind === 'factor_added')
  const nowSeconds = Math.floor(atMilliseconds / 1000)
  return all
    .filter(({ kind }) => !isExtraMail(kind) || notices.extra.includes(kind))
    .filter(({ facts }) => !(enrols && facts?.areNew))
    .map(({ kind, user, facts = {}, address = user.email, later }) =>
      newMail(
        {
          id: later?.id ?? uuid(),
          kind,
          userId: some(user.id),
          address,
          language: MAIL_KINDS[kind].outlivesUser ? languageOf(user, language) : language,
          facts,
        },
        nowSeconds,
        later?.dueAtSeconds,
      ),
    )
}

/** Returns the ids of mails that the facts make untrue. */
export const withdrawnBy = (facts: ReadonlyArray<AnyFact>): ReadonlyArray<string> =>
  facts.flatMap((fact) => (fact._tag === 'UserSignedIn' && fact.token !== undefined ? [fact.token.id] : []))

type AnyFact = Facts[EventType]

const causedBy = (fact: AnyFact): ReadonlyArray<Notice> =>
  (CAUSES[fact._tag] as ((one: AnyFact) => ReadonlyArray<Notice>) | undefined)?.(fact) ?? [] // the cause of its type

/** The sender cannot read the language of a removed user any more. It comes first: an operator may speak another one. */
const languageOf = ({ attributes }: Pick<User, 'attributes'>, requested: Option<string>): Option<string> =>
  pipe(
    fromNullable(attributesOf(attributes).locale),
    alt(() => requested),
  )
