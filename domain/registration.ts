import { chain, chainW, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Scope } from './application.ts'
import { validateNewEmail } from './email-confirmation.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { validateLanguage } from './language.ts'
import {
  isPasswordWeakness,
  isRuleWeakness,
  type PasswordWeakness,
  weaknessCodes,
} from './password-policy.ts'
import { isEmail } from './user.ts'

/** The problems behind the codes of docs/contract.md §4. */
export type RegistrationProblem =
  | 'EmailMissing'
  | 'PasswordMissing'
  | 'EmailMalformed'
  | 'EmailTaken'
  | PasswordWeakness
  | 'SendConfirmationOff'
  | 'LanguageMalformed'

/** The code of each problem in responses and in the log. */
export const REGISTRATION_CODES = {
  EmailMissing: 1,
  PasswordMissing: 2,
  EmailMalformed: 3,
  EmailTaken: 4,
  ...weaknessCodes(5),
  SendConfirmationOff: 11,
  LanguageMalformed: 12,
}

export const registrationCode = (problem: RegistrationProblem): number =>
  REGISTRATION_CODES[isRuleWeakness(problem) ? 'PasswordRule' : problem]

export type RegistrationRequest = Readonly<{
  email: Field
  password: Field
  /** Whether the caller says that it verified the e-mail. */
  emailVerified?: boolean
  /** Whether the user shall have no password. With a password, it has no effect. */
  withoutPassword?: boolean
  /** Of the mails to the user. */
  language?: Field
  /** Whether the service shall mail a link that confirms the e-mail. */
  sendConfirmation?: boolean
}>

/** Whether the fields are there, so that the user may be registered. */
export const isCompleteRegistration = ({ email, password, withoutPassword }: RegistrationRequest): boolean =>
  isPresent(email) && (isPresent(password) || withoutPassword === true)

/** Whether an application may say that a user has proved an e-mail. Without the scope, the server ignores what it says. */
export const mayVerifyEmail = (scope: ReadonlyArray<Scope>): boolean => scope.includes('users:confirm_email')

/** Whether an application may register users without a password: it must be able to sign them in. */
export const mayOmitPassword = (scope: ReadonlyArray<Scope>): boolean => scope.includes('users:vouch')

const combine = combineFields<RegistrationProblem>()

/**
 * Returns the e-mail and the password, if there is to be one, or all problems of the request.
 *
 * @param weakness why the policy refuses the password; ignored if the password is missing
 * @param canConfirm whether the service mails links
 */
export const validateRegistration = (
  request: RegistrationRequest,
  emailTaken: boolean,
  weakness: Option<PasswordWeakness>,
  canConfirm: boolean,
): Either<NonEmptyArray<RegistrationProblem>, { email: string; password: Option<string> }> =>
  pipe(
    combine({
      email: pipe(
        required<RegistrationProblem>('EmailMissing')(request.email),
        chainW((email) => validateNewEmail(email, emailTaken)),
      ),
      password:
        request.withoutPassword === true && !isPresent(request.password)
          ? right(none)
          : pipe(
              required<RegistrationProblem>('PasswordMissing')(request.password),
              chain((password) => (isSome(weakness) ? left([weakness.value]) : right(some(password)))),
            ),
      language: validateLanguage(request.language),
      sendConfirmation:
        request.sendConfirmation === true && !canConfirm ? left(['SendConfirmationOff']) : right(undefined),
    }),
    map(({ email, password }) => ({ email, password })),
  )

/** The problems behind the codes of the page that begins a registration (docs/account-pages.md). They do not depend on any account. */
export type RegistrationMailProblem = 'EmailMissing' | 'EmailMalformed'

export const REGISTRATION_MAIL_CODES = { EmailMissing: 1, EmailMalformed: 2 }

/** Returns the e-mail to which the link goes, or the problem with it. */
export const validateRegistrationMail = ({
  email,
}: Pick<RegistrationRequest, 'email'>): Either<NonEmptyArray<RegistrationMailProblem>, string> =>
  pipe(
    required<RegistrationMailProblem>('EmailMissing')(email),
    chain((sent) => (isEmail(sent) ? right(sent) : left(['EmailMalformed']))),
  )

/** The codes that the log has for the problems with the password of a registration on a page: those of the API. It notes no others. */
export const registrationCodesOf = (problems: ReadonlyArray<string>): ReadonlyArray<number> =>
  problems
    .flatMap((problem) => {
      if (problem === 'NewPasswordMissing') return [REGISTRATION_CODES.PasswordMissing]
      return isPasswordWeakness(problem) ? [registrationCode(problem)] : []
    })
    .sort((a, b) => a - b)
