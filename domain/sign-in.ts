import { chain, type Either, fromOption, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import { assuranceOf, reaches } from './assurance.ts'
import { type Factor, isDue } from './factor.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { isName } from './name.ts'
import type { User } from './user.ts'

/** The problems behind the codes of docs/contract.md §5.1. */
export type SignInProblem = CredentialsProblem | 'LabelMalformed'

export type CredentialsProblem = 'EmailMissing' | 'PasswordMissing' | 'PasswordDoesNotMatch'

/** `remember`: whether the user wants to be remembered. */
export type SignInRequest = Credentials & Readonly<{ label?: Field; remember?: boolean }>

export type Credentials = Readonly<{ email: Field; password: Field }>

/** Whether both fields have a value. An incomplete request needs no look-up and no hash. */
export const isComplete = (request: Credentials): request is { email: string; password: string } =>
  isPresent(request.email) && isPresent(request.password)

/** Whether the label, if there is one, follows the rule for names. It is judged before any password. */
export const isPossibleLabel = (label: Field): boolean => label === undefined || label === '' || isName(label)

const combine = combineFields<SignInProblem>()

/**
 * Returns the account to sign in, or all problems of the request.
 *
 * @param account the enabled account with that e-mail and password. It is none if either is wrong, so the answer does not
 *   show which one
 */
export const validateSignIn = <Account>(
  request: SignInRequest,
  account: Option<Account>,
): Either<NonEmptyArray<SignInProblem>, Account> =>
  pipe(
    combine({
      credentials: complete(request),
      label: isPossibleLabel(request.label) ? right(undefined) : left(['LabelMalformed'] as const),
    }),
    chain((): Either<NonEmptyArray<SignInProblem>, Account> => matching(account)),
  )

/** Whether an application refuses a user because no e-mail of the user is proved. */
export const lacksVerifiedEmail = (
  { requiresVerifiedEmail }: Pick<Application, 'requiresVerifiedEmail'>,
  { emailVerified }: Pick<User, 'emailVerified'>,
): boolean => requiresVerifiedEmail && !emailVerified

/** What follows the right password: a session, the second factor, or nothing before the user has confirmed an e-mail or enrolled a factor. */
export type NextStep = 'session' | 'second_factor' | 'enrolment' | 'confirmation'

/** Returns what follows the right password in an application. The e-mail comes before a due factor, which comes before enrolment. */
export const nextStep = (
  factors: ReadonlyArray<Factor>,
  application: Pick<Application, 'requiredAssurance' | 'requiresVerifiedEmail'>,
  user: Pick<User, 'emailVerified'>,
): NextStep => {
  if (lacksVerifiedEmail(application, user)) return 'confirmation'
  if (isDue(factors)) return 'second_factor'
  return reaches(assuranceOf('password'), application.requiredAssurance) ? 'session' : 'enrolment'
}

/** The same for a page, on which a sign-in has no label. */
export const validateCredentials = <Account>(
  credentials: Credentials,
  account: Option<Account>,
): Either<NonEmptyArray<CredentialsProblem>, Account> =>
  pipe(
    complete(credentials),
    chain(() => matching(account)),
  )

const combineCredentials = combineFields<CredentialsProblem>()

const complete = (request: Credentials) =>
  combineCredentials({
    email: required<CredentialsProblem>('EmailMissing')(request.email),
    password: required<CredentialsProblem>('PasswordMissing')(request.password),
  })

const matching = fromOption((): NonEmptyArray<CredentialsProblem> => ['PasswordDoesNotMatch'])
