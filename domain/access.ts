import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { Application, Scope } from './application.ts'
import {
  type AssuranceClaims,
  type AssuranceLevel,
  FRESH_SECONDS,
  isFresh,
  isVouchedAlone,
  sessionAssurance,
} from './assurance.ts'
import { type Factor, isIdentity } from './factor.ts'
import type { SessionFacts } from './session.ts'
import { hasPassword } from './user.ts'

/** The application that a verified token or key pair belongs to, and what it may do. */
export type ApplicationCaller = Readonly<{
  kind: 'application'
  application: Application
  scope: ReadonlyArray<Scope>
}>
/**
 * The user that a verified token belongs to, with its session. `presented` is what the token itself proves: the session may have been
 * authenticated again since, with another token.
 */
export type UserCaller = Readonly<{ kind: 'user'; presented: AssuranceClaims }> & SessionFacts
export type Caller = ApplicationCaller | UserCaller

/**
 * Which token each permission requires (docs/contract.md §1.5). With `fresh`, the service has seen a proof of the user in the last minutes.
 * With `isFirstProof`, the word of an application is enough from a user who has nothing else to prove.
 */
export const ACCESS = {
  signIn: { kind: 'application', scope: 'users:sign_in' },
  vouchForUser: { kind: 'application', scope: 'users:vouch' },
  renewSession: { kind: 'application', scope: 'users:sign_in' },
  registerUser: { kind: 'application', scope: 'users:register' },
  signOut: { kind: 'user' },
  getProfile: { kind: 'user' },
  changePassword: { kind: 'user' },
  stepUp: { kind: 'user' },
  listSessions: { kind: 'user' },
  endSession: { kind: 'user' },
  endOtherSessions: { kind: 'user' },
  listFactors: { kind: 'user' },
  startEnrolment: { kind: 'user', fresh: true, isFirstProof: true },
  completeEnrolment: { kind: 'user' },
  renameFactor: { kind: 'user' },
  removeFactor: { kind: 'user', fresh: true },
  renewRecoveryCodes: { kind: 'user', fresh: true },
  startIdentityLink: { kind: 'user', fresh: true },
  completeIdentityLink: { kind: 'user' },
  startRecovery: { kind: 'application', scope: 'users:recover' },
  mailRecovery: { kind: 'application', scope: 'users:sign_in' },
  mailEmail: { kind: 'user' },
  startEmailConfirmation: { kind: 'application', scope: 'users:confirm_email' },
  removeOwnAccount: { kind: 'user' },
  changeOwnAttributes: { kind: 'user' },
  searchUsers: { kind: 'application', scope: 'users:read' },
  showUser: { kind: 'application', scope: 'users:read' },
  manageUsers: { kind: 'application', scope: 'users:manage' },
  changeAttributes: { kind: 'application', scope: 'users:attributes' },
  changeRoles: { kind: 'application', scope: 'users:roles' },
  resetFactors: { kind: 'application', scope: 'users:reset_factors' },
  fetchLog: { kind: 'application', scope: 'events:read' },
  readFeed: { kind: 'application', scope: 'events:read' },
  introspect: { kind: 'application', scope: 'tokens:introspect' },
} as const satisfies Record<string, Requirement>

export type Requirement = Readonly<
  { kind: 'application'; scope: Scope } | { kind: 'user'; fresh?: true; isFirstProof?: true }
>
export type Permission = keyof typeof ACCESS
export type CallerOf<P extends Permission> = Extract<Caller, { kind: (typeof ACCESS)[P]['kind'] }>

/** The token is valid, but has the wrong kind or lacks the scope (RFC 6750 §3.1). */
export type InsufficientScope = Readonly<{ _tag: 'InsufficientScope'; required: Requirement }>

/**
 * The token has the permission, but the user was authenticated too long ago (RFC 9470). The user must be authenticated again, at the
 * level `acr` if the session has it.
 */
export type InsufficientAuthentication = Readonly<{
  _tag: 'InsufficientAuthentication'
  maxAgeSeconds: number
  acr: AssuranceLevel
  /** False for a user who has neither a password nor a second factor to step up with. */
  canStepUp: boolean
}>

/** Returns the caller if it has the permission. The wrong kind of token takes precedence over the time. */
export const authorize = <P extends Permission>(
  permission: P,
  caller: Caller,
  nowSeconds: number,
): Either<InsufficientScope | InsufficientAuthentication, CallerOf<P>> => {
  const required: Requirement = ACCESS[permission]
  if (!permits(required, caller)) return left({ _tag: 'InsufficientScope', required })
  return caller.kind === 'user' && isStale(required, caller, nowSeconds)
    ? left(insufficientAuthentication(caller))
    : right(caller as CallerOf<P>) // `permits` compared the kinds; the compiler cannot see that
}

const permits = (required: Requirement, caller: Caller): boolean =>
  required.kind === 'user'
    ? caller.kind === 'user'
    : caller.kind === 'application' && caller.scope.includes(required.scope)

const isStale = (required: Requirement, caller: UserCaller, nowSeconds: number): boolean => {
  if (required.kind !== 'user' || required.fresh !== true) return false
  return required.isFirstProof === true && hasNothingToProve(caller)
    ? !isFresh(caller.presented, caller.session, nowSeconds)
    : !isProvedFresh(caller, nowSeconds)
}

/**
 * Whether the service itself has seen a proof of the user in the last minutes. The word of an application is none: a thief of its API keys
 * would otherwise stay in the account.
 */
export const isProvedFresh = ({ presented, session }: UserCaller, nowSeconds: number): boolean =>
  isFresh(presented, session, nowSeconds) && !isVouchedAlone(presented)

/** A factor would be in the methods of the session: its enrolment writes them, and ends all other sessions. */
const hasNothingToProve = ({ session, user }: UserCaller): boolean =>
  !hasPassword(user) && isVouchedAlone(sessionAssurance(session))

/** Returns the caller if the service has seen a proof of the user in the last minutes. */
export const requireProvedFresh = (
  caller: UserCaller,
  nowSeconds: number,
): Either<InsufficientAuthentication, UserCaller> =>
  isProvedFresh(caller, nowSeconds) ? right(caller) : left(insufficientAuthentication(caller))

/**
 * The same where a first factor is enrolled. The word of an application is enough only for a user who has nothing else to prove: an
 * identity at another provider is something, though it is in the methods of no vouched session.
 */
export const provedForEnrolment = (
  caller: UserCaller,
  factors: ReadonlyArray<Factor>,
  nowSeconds: number,
): Either<InsufficientAuthentication, UserCaller> =>
  factors.some(isIdentity) ? requireProvedFresh(caller, nowSeconds) : right(caller)

const insufficientAuthentication = (caller: UserCaller): InsufficientAuthentication => ({
  _tag: 'InsufficientAuthentication',
  maxAgeSeconds: FRESH_SECONDS,
  acr: sessionAssurance(caller.session).acr,
  canStepUp: !hasNothingToProve(caller),
})
