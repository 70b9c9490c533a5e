import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import type { VouchedMethod } from './assurance.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import type { SignInRefusal } from './refusal-reasons.ts'
import { isPossibleLabel } from './sign-in.ts'
import type { User } from './user.ts'
import { namedBy } from './user-naming.ts'

/** The problems behind the codes of docs/vouched-sign-in.md, without those of second factors. */
export type VouchedSignInProblem =
  | 'UserNotNamed'
  | 'UserUnknown'
  | 'EmailUnknown'
  | 'LabelMalformed'
  | 'MethodMissing'
  | 'MethodUnknown'
  | 'UserDisabled'
  | 'EmailNotVerified'

export type VouchedSignInRequest = Readonly<{
  userId: Field
  email: Field
  method: Field
  label?: Field
  remember?: boolean
  /** Whether the application says that the user has proved the e-mail. */
  emailVerified?: boolean
}>

/** What an application can say that it saw, by its name in a request. */
const METHODS: ReadonlyMap<string, VouchedMethod> = new Map<string, VouchedMethod>([
  ['fed', 'vouched_fed'],
  ['email', 'vouched_email'],
  ['sms', 'vouched_sms'],
  ['other', 'vouched'],
])

/** These names. */
export const VOUCHED_METHODS: ReadonlyArray<string> = [...METHODS.keys()]

/** A sign-in to open. `claims`: its user claims an account with an e-mail that is not proved. */
export type VouchedSignIn = Readonly<{ user: User; method: VouchedMethod; claims: boolean }>

const combine = combineFields<VouchedSignInProblem>()

/**
 * Returns the sign-in, or all problems of the request: at most one per field.
 *
 * Named by its e-mail, an account must belong to the owner of the address: another person may have registered it. Named by its id, it is
 * the one that the application has linked to the user.
 *
 * @param found the user that the request names, also a disabled one
 */
export const validateVouchedSignIn = (
  request: VouchedSignInRequest,
  found: Option<User>,
  application: Pick<Application, 'requiresVerifiedEmail'>,
): Either<NonEmptyArray<VouchedSignInProblem>, VouchedSignIn> =>
  combine({
    label: isPossibleLabel(request.label) ? right(request.label) : left(['LabelMalformed']),
    method: pipe(
      required<VouchedSignInProblem>('MethodMissing')(request.method),
      chain((name): Either<NonEmptyArray<VouchedSignInProblem>, VouchedMethod> => {
        const method = METHODS.get(name)
        return method === undefined ? left(['MethodUnknown']) : right(method)
      }),
    ),
    user: userOf(request, found, application),
    claims: right(claims(request, found)),
  })

const userOf = (
  request: VouchedSignInRequest,
  found: Option<User>,
  application: Pick<Application, 'requiresVerifiedEmail'>,
): Either<NonEmptyArray<VouchedSignInProblem>, User> => {
  const named = namedBy(request)
  if (named === undefined) return left(['UserNotNamed'])
  if (isNone(found)) return left(['email' in named ? 'EmailUnknown' : 'UserUnknown'])
  if (found.value.status !== 'enabled') return left(['UserDisabled'])
  const isProved = found.value.emailVerified || claims(request, found)
  return isProved || ('userId' in named && !application.requiresVerifiedEmail)
    ? right(found.value)
    : left(['EmailNotVerified'])
}

const claims = (request: VouchedSignInRequest, found: Option<User>): boolean =>
  isSome(found) && !found.value.emailVerified && request.emailVerified === true && !isPresent(request.userId)

/** Why a request is refused, as the log says it: what is wrong with its fields comes before what is wrong with its user. */
export const vouchedRefusal = (problems: ReadonlyArray<VouchedSignInProblem>): SignInRefusal =>
  REASONS.find(([problem]) => problems.includes(problem))?.[1] ?? 'missing_field'

const REASONS: ReadonlyArray<readonly [VouchedSignInProblem, SignInRefusal]> = [
  ['UserNotNamed', 'missing_field'],
  ['MethodMissing', 'missing_field'],
  ['MethodUnknown', 'missing_field'],
  ['LabelMalformed', 'invalid_label'],
  ['UserUnknown', 'unknown_user'],
  ['EmailUnknown', 'unknown_email'],
  ['UserDisabled', 'user_disabled'],
  ['EmailNotVerified', 'email_not_verified'],
]
