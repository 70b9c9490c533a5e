import type { UserCaller } from '../../domain/access.ts'
import { emailKey } from '../../domain/user.ts'
import type { Digests } from '../ports/environment.ts'
import type { CountKey } from '../ports/failure-counts.ts'
import type { RequestContext } from '../recording/recorder.ts'

/**
 * What failures count on. The counts are independent.
 *
 * - `account_in_network`: sign-ins with this e-mail from this network, also without an account. All networks that are unknown are one
 *   network, which also counts wrong old passwords
 * - `account`: the same from all networks together
 * - `session`: wrong old passwords in this session
 * - `address`: wrong API keys and forged tokens from this network
 * - `end_user_address`: sign-ins and recoveries that an application sent for an end user in this network
 * - `registrations`: users that an application registered for an end user in this network
 * - `recoveries`: recovery tokens that are made for an application
 * - `recoveries_in_network`: recoveries that an application starts for an end user in this network, also without an account
 * - `mails_to_email`: starts and mails that are requested for this e-mail, also without an account
 * - `mails`: mails that are requested of the whole service
 * - `mails_of_user`: mails that this user requests to an own e-mail, and taken e-mails that the user names
 * - `one_time_token`: weak new passwords that were sent with this token
 * - `new_password`: weak new passwords that this user sent with the right old one
 * - `factor_resets`: resets of second factors that an application makes
 * - `vouched`, `vouched_of_user`: sign-ins that an application vouches for, of all users and of this one
 * - `second_factor`: wrong codes of an authenticator app of this user
 * - `sign_ins_in_network`, `sign_ins`: sign-ins of this user that succeeded, from this network and from all
 * - `factor_changes_in_session`, `factor_changes`: changes of second factors by this session, and by all of this user
 * - `session_ends_in_session`, `session_ends`: how often this session ended another one or all others of its user, and how often all sessions of the user did
 * - `identity_answers`: answers of identity providers that were sent in this session
 * - `attribute_changes`: changes of attributes that this user makes
 * - `password_changes`: changes of the password that this user makes, with the old one
 */
export type ThrottleKey =
  | Readonly<{ kind: 'account_in_network'; email: string; address: string | undefined }>
  | Readonly<{ kind: 'account'; email: string }>
  | Readonly<{ kind: 'session'; id: string }>
  | Readonly<{ kind: 'address'; address: string }>
  | Readonly<{ kind: 'end_user_address'; applicationId: string; address: string }>
  | Readonly<{ kind: 'registrations'; applicationId: string; address: string }>
  | Readonly<{ kind: 'recoveries'; applicationId: string }>
  | Readonly<{ kind: 'recoveries_in_network'; applicationId: string; address: string }>
  | Readonly<{ kind: 'factor_resets'; applicationId: string }>
  | Readonly<{ kind: 'vouched'; applicationId: string }>
  | Readonly<{ kind: 'vouched_of_user'; applicationId: string; userId: string }>
  | Readonly<{ kind: 'mails_to_email'; email: string }>
  | Readonly<{ kind: 'mails' }>
  | Readonly<{ kind: 'mails_of_user'; userId: string }>
  | Readonly<{ kind: 'one_time_token'; id: string }>
  | Readonly<{ kind: 'new_password'; userId: string }>
  | Readonly<{ kind: 'second_factor'; userId: string }>
  | Readonly<{ kind: 'sign_ins_in_network'; userId: string; address: string | undefined }>
  | Readonly<{ kind: 'sign_ins'; userId: string }>
  | Readonly<{ kind: 'factor_changes_in_session'; id: string }>
  | Readonly<{ kind: 'factor_changes'; userId: string }>
  | Readonly<{ kind: 'session_ends_in_session'; id: string }>
  | Readonly<{ kind: 'session_ends'; userId: string }>
  | Readonly<{ kind: 'identity_answers'; id: string }>
  | Readonly<{ kind: 'attribute_changes'; userId: string }>
  | Readonly<{ kind: 'password_changes'; userId: string }>

/** The key is a digest, because an e-mail in a sign-in can be any text, even a password. */
export const countKey = (digests: Digests, key: ThrottleKey): CountKey => ({
  kind: key.kind,
  key: digests.sha256(`${key.kind} ${nameOf(key)}`),
})

const nameOf = (key: ThrottleKey): string => {
  switch (key.kind) {
    case 'account_in_network':
      return `${key.address ?? 'unknown'} ${emailKey(key.email)}`
    case 'sign_ins_in_network':
      return `${key.address ?? 'unknown'} ${key.userId}`
    case 'account':
    case 'mails_to_email':
      return emailKey(key.email)
    case 'mails':
      return ''
    case 'session':
    case 'factor_changes_in_session':
    case 'session_ends_in_session':
    case 'identity_answers':
    case 'one_time_token':
      return key.id
    case 'address':
      return key.address
    case 'end_user_address':
    case 'registrations':
    case 'recoveries_in_network':
      return `${key.applicationId} ${key.address}`
    case 'recoveries':
    case 'factor_resets':
    case 'vouched':
      return key.applicationId
    case 'vouched_of_user':
      return `${key.applicationId} ${key.userId}`
    case 'mails_of_user':
    case 'new_password':
    case 'second_factor':
    case 'sign_ins':
    case 'factor_changes':
    case 'session_ends':
    case 'attribute_changes':
    case 'password_changes':
      return key.userId
  }
}

/**
 * The counts of a password, with the network from which it comes. The network is first, so that attempts from a refused one do not touch
 * the account. Without a network, or with a session, it is the unknown one.
 */
export const accountKeys = (
  email: string,
  network: ReadonlyArray<ThrottleKey> = [],
): ReadonlyArray<ThrottleKey> => {
  return [
    { kind: 'account_in_network', email, address: addressIn(network) },
    { kind: 'account', email },
  ]
}

/** The sign-ins of a user. The network is first, so that a busy one leaves the others their sign-ins. */
export const signInKeys = (
  userId: string,
  network: ReadonlyArray<ThrottleKey>,
): ReadonlyArray<ThrottleKey> => [
  { kind: 'sign_ins_in_network', userId, address: addressIn(network) },
  { kind: 'sign_ins', userId },
]

/** The sign-ins that an application vouches for. The user is first, so that one user in a loop leaves the others theirs. */
export const vouchedKeys = (applicationId: string, userId: string): ReadonlyArray<ThrottleKey> => [
  { kind: 'vouched_of_user', applicationId, userId },
  { kind: 'vouched', applicationId },
]

const addressIn = (network: ReadonlyArray<ThrottleKey>): string | undefined =>
  network.flatMap((key) => ('address' in key ? [key.address] : []))[0]

/** The count of the end user's network at this application, if the application reported the address. */
export const endUserKeys = (
  { endUserAddress: address }: RequestContext,
  applicationId: string,
): ReadonlyArray<ThrottleKey> =>
  address === undefined ? [] : [{ kind: 'end_user_address', applicationId, address }]

/** The registrations of the end user's network at this application, if they have a limit and the application reported the address. */
export const registrationKeys = (
  { endUserAddress: address }: RequestContext,
  applicationId: string,
  { registrationsPerHour }: Readonly<{ registrationsPerHour: number }>,
): ReadonlyArray<ThrottleKey> =>
  registrationsPerHour > 0 && address !== undefined ? [{ kind: 'registrations', applicationId, address }] : []

/** The recoveries of the end user's network at this application, if the application reported the address. */
export const recoveryKeys = (
  { endUserAddress: address }: RequestContext,
  applicationId: string,
): ReadonlyArray<ThrottleKey> =>
  address === undefined ? [] : [{ kind: 'recoveries_in_network', applicationId, address }]

/**
 * The counts of a session that ends others of its user. The session comes first, so that what it is refused does not use up what the other
 * sessions have.
 */
export const sessionEndKeys = ({ session, user }: UserCaller): ReadonlyArray<ThrottleKey> => [
  { kind: 'session_ends_in_session', id: session.id },
  { kind: 'session_ends', userId: user.id },
]

/**
 * The count of password changes, if each one mails a notice. Without it, one account could annoy the owner of an address, or use up what the
 * relay takes in a day, also for the notices of others. Without mail a change harms only its own account, and there is no limit.
 */
export const passwordChangeKeys = ({
  mailsNotices,
  userId,
}: Readonly<{ mailsNotices: boolean; userId: string }>): ReadonlyArray<ThrottleKey> =>
  mailsNotices ? [{ kind: 'password_changes', userId }] : []
