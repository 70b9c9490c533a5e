import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { changesEmail, validateNewEmail } from './email-confirmation.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { validateLanguage } from './language.ts'
import { validateReturnTo } from './return-urls.ts'
import { hasPassword, type User } from './user.ts'

/** The problems behind the codes of a mail to the own e-mail (docs/account-life.md §3.4). */
export type OwnEmailProblem =
  | 'PasswordMissing'
  | 'EmailMalformed'
  | 'EmailTaken'
  | 'PasswordWrong'
  | 'LanguageMalformed'
  | 'ReturnToUnknown'

/** Without an e-mail, it is that on record. */
export type OwnEmailRequest = Readonly<{ email: Field; password: Field; language: Field; returnTo: Field }>

export type OwnEmailFacts = Readonly<{
  user: User
  /** Of the application that the user is signed in at. */
  returnUrls: ReadonlyArray<string>
  /** Whether the password is the user's. It is ignored if none is needed. */
  passwordMatches: boolean
}>

export type OwnEmail = Readonly<{ email: string; language: Option<string>; returnTo: Option<string> }>

/** Returns the e-mail of the request, or that on record. */
export const emailToConfirm = ({ email }: Pick<OwnEmailRequest, 'email'>, user: User): string =>
  isPresent(email) ? email : user.email

/** Whether the password must be right: the request names another e-mail, and the user has a password. */
export const needsPassword = (request: Pick<OwnEmailRequest, 'email'>, user: User): boolean =>
  changesEmail(user, emailToConfirm(request, user)) && hasPassword(user)

const combine = combineFields<OwnEmailProblem>()

/** Returns what to confirm, or all problems of the request but `EmailTaken`: at most one per field. */
export const validateOwnEmail = (
  request: OwnEmailRequest,
  { user, returnUrls, passwordMatches }: OwnEmailFacts,
): Either<NonEmptyArray<OwnEmailProblem>, OwnEmail> =>
  pipe(
    combine({
      email: validateNewEmail(emailToConfirm(request, user), false),
      password: needsPassword(request, user)
        ? pipe(
            required<OwnEmailProblem>('PasswordMissing')(request.password),
            chain((password) => (passwordMatches ? right(password) : left(['PasswordWrong']))),
          )
        : right(''),
      language: validateLanguage(request.language),
      returnTo: validateReturnTo(request.returnTo, returnUrls),
    }),
    chain(({ email, language, returnTo }) => right({ email, language, returnTo })),
  )
