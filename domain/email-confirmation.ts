import { chain, chainW, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { emailKey, hasPassword, isEmail, type User } from './user.ts'

/** The problems behind the codes of docs/account-life.md §3.1. */
export type EmailConfirmationStartProblem =
  | 'UserIdMissing'
  | 'EmailMissing'
  | 'PasswordMissing'
  | 'UserUnknown'
  | 'EmailMalformed'
  | 'EmailTaken'
  | 'PasswordWrong'
  | 'UserTokenNotFresh'

/** The code of each problem in responses and in the log. */
export const EMAIL_CONFIRMATION_START_CODES: Readonly<Record<EmailConfirmationStartProblem, number>> = {
  UserIdMissing: 1,
  EmailMissing: 2,
  PasswordMissing: 3,
  UserUnknown: 4,
  EmailMalformed: 5,
  EmailTaken: 6,
  PasswordWrong: 7,
  UserTokenNotFresh: 8,
}

/** The code of each problem in the log: also those of a mail to the own e-mail, whose responses have other codes. */
export const EMAIL_CONFIRMATION_REFUSAL_CODES = {
  ...EMAIL_CONFIRMATION_START_CODES,
  LanguageMalformed: 9,
  ReturnToUnknown: 10,
}

export type EmailConfirmationStartRequest = Readonly<{
  userId: Field
  email: Field
  password: Field
  userToken?: Field
}>

/** What the service looked up about a request. */
export type EmailConfirmationStartFacts = Readonly<{
  /** The enabled user with the id. */
  user: Option<User>
  /** Whether another user has the e-mail. */
  emailTaken: boolean
  /** Whether the password is the user's. It is ignored if none is needed. */
  passwordMatches: boolean
  /**
   * Whether a user token is enough, or none is needed: without a second factor, the password alone is enough. It is ignored unless the
   * password matches, because only the right password may reveal that a factor is due. A user without a password always needs one.
   */
  tokenSuffices: boolean
}>

/** Returns the e-mail if the service accepts it and it is free. */
export const validateNewEmail = (
  email: string,
  isTaken: boolean,
): Either<NonEmptyArray<'EmailMalformed' | 'EmailTaken'>, string> => {
  if (!isEmail(email)) return left(['EmailMalformed'])
  return isTaken ? left(['EmailTaken']) : right(email)
}

/** Whether the e-mail is another one than the user has. Only then the request needs the password, or a user token without one. */
export const changesEmail = (user: User, email: string): boolean => user.email !== email

/** Whether the e-mail is that of another mailbox, and not only spelled in other letter case. Only then the user gets a notice. */
export const changesMailbox = (user: Pick<User, 'email'>, email: string): boolean =>
  emailKey(user.email) !== emailKey(email)

const combine = combineFields<EmailConfirmationStartProblem>()

/**
 * Returns the user and the e-mail to confirm, or all problems of the request: at most one per field.
 *
 * For an unknown user the password counts as needed, but is not checked.
 */
export const validateEmailConfirmationStart = (
  request: EmailConfirmationStartRequest,
  { user, emailTaken, passwordMatches, tokenSuffices }: EmailConfirmationStartFacts,
): Either<NonEmptyArray<EmailConfirmationStartProblem>, Readonly<{ user: User; email: string }>> => {
  const hasNoPassword = isSome(user) && !hasPassword(user.value)
  const isSameEmail = isSome(user) && isPresent(request.email) && !changesEmail(user.value, request.email)
  return pipe(
    combine({
      user: pipe(
        required<EmailConfirmationStartProblem>('UserIdMissing')(request.userId),
        chain(() => (isSome(user) ? right(user.value) : left(['UserUnknown']))),
      ),
      email: pipe(
        required<EmailConfirmationStartProblem>('EmailMissing')(request.email),
        chainW((email) => validateNewEmail(email, emailTaken)),
      ),
      password:
        isSameEmail || hasNoPassword
          ? right('')
          : pipe(
              required<EmailConfirmationStartProblem>('PasswordMissing')(request.password),
              chain((password) =>
                isNone(user) || passwordMatches ? right(password) : left(['PasswordWrong']),
              ),
            ),
      userToken:
        isSameEmail || (!passwordMatches && !hasNoPassword) || tokenSuffices
          ? right(undefined)
          : left(['UserTokenNotFresh']),
    }),
    map(({ user: found, email }) => ({ user: found, email })),
  )
}

/** The problems behind the codes of docs/account-life.md §3.2. */
export type EmailConfirmationProblem = 'TokenMissing' | 'TokenInvalid'

export type EmailConfirmationRequest = Readonly<{ token: Field }>

/** Returns the facts of the token, or the problem with it. */
export const validateEmailConfirmation = <Facts>(
  { token }: EmailConfirmationRequest,
  usable: Option<Facts>,
): Either<NonEmptyArray<EmailConfirmationProblem>, Facts> =>
  pipe(
    required<EmailConfirmationProblem>('TokenMissing')(token),
    chain(() => (isSome(usable) ? right(usable.value) : left(['TokenInvalid']))),
  )
