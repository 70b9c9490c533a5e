import {
  consecutive,
  perHour,
  perMinute,
  perQuarterHour,
  type ThrottleRule,
  WRONG_TOTP,
} from '../../domain/throttle.ts'
import type { ThrottleKey } from './throttle-key.ts'

/** `recoveriesPerHour` and `vouchedPerHour` are for each application, `registrationsPerHour` for each of its networks of end users. */
export type ThrottleLimits = Readonly<{
  accountFailures: number
  addressFailures: number
  recoveriesPerHour: number
  registrationsPerHour: number
  /** Of the whole service. */
  mailsPerHour: number
  vouchedPerHour: number
  /** For each user, from one network. */
  signInsPerMinute: number
}>

/** Returns the limit of each kind of count. */
export const rulesFor = ({
  accountFailures,
  addressFailures,
  recoveriesPerHour,
  registrationsPerHour,
  mailsPerHour,
  vouchedPerHour,
  signInsPerMinute,
}: ThrottleLimits): Readonly<Record<ThrottleKey['kind'], ThrottleRule>> => ({
  account_in_network: consecutive(accountFailures),
  account: consecutive(Math.max(accountFailures, FAILURES_FROM_ALL_NETWORKS)),
  session: consecutive(accountFailures),
  address: perQuarterHour(addressFailures),
  end_user_address: perQuarterHour(addressFailures),
  registrations: perHour(registrationsPerHour),
  recoveries: perHour(recoveriesPerHour),
  recoveries_in_network: perHour(Math.ceil(recoveriesPerHour * SHARE_OF_A_NETWORK)),
  factor_resets: perHour(FACTOR_RESETS),
  vouched: perHour(vouchedPerHour),
  vouched_of_user: perHour(VOUCHED_OF_USER),
  mails_to_email: perHour(MAILS_TO_ADDRESS),
  mails: perHour(mailsPerHour),
  mails_of_user: perHour(MAILS_OF_USER),
  one_time_token: consecutive(accountFailures),
  new_password: consecutive(accountFailures),
  second_factor: WRONG_TOTP,
  sign_ins_in_network: perMinute(signInsPerMinute),
  sign_ins: perMinute(signInsPerMinute * NETWORKS_OF_A_USER),
  factor_changes_in_session: perHour(FACTOR_CHANGES_IN_SESSION),
  factor_changes: perHour(FACTOR_CHANGES),
  session_ends_in_session: perHour(SESSION_ENDS_IN_SESSION),
  session_ends: perHour(SESSION_ENDS),
  identity_answers: perHour(IDENTITY_ANSWERS),
  attribute_changes: perHour(ATTRIBUTE_CHANGES),
  password_changes: perHour(PASSWORD_CHANGES),
})

/**
 * A stranger in one network stays below it, so that the owner in another one is not delayed. More consecutive failures on an account are not
 * permitted (NIST SP 800-63B-4 §3.2.2).
 */
const FAILURES_FROM_ALL_NETWORKS = 100

/** The rest of an application's recoveries is for other networks: real addresses in one network cannot use up all. */
const SHARE_OF_A_NETWORK = 0.1

/** More mails would only annoy the owner of the address. */
const MAILS_TO_ADDRESS = 5

/**
 * One below that of an address, so that the thief of a token cannot use up what the owner's recovery needs. It is little for a user who
 * looks for accounts or annoys strangers.
 */
const MAILS_OF_USER = MAILS_TO_ADDRESS - 1

/** More than the support of an application needs, and little for a thief of its keys. */
const FACTOR_RESETS = 60

/** More than a person needs. A program that signs a user in for each request must keep the token instead. */
const VOUCHED_OF_USER = 60

/**
 * More than a person needs. A session has less than its user, so that the thief of one token leaves the owner's session its own.
 */
const SESSION_ENDS_IN_SESSION = 30
const SESSION_ENDS = 100

/** The same holds for changes of second factors. */
const FACTOR_CHANGES_IN_SESSION = 30
const FACTOR_CHANGES = 100

/** More than a person needs. Each answer makes a call to the provider. */
const IDENTITY_ANSWERS = 30

/** More than a page with a form needs. Each change adds an entry to the log that stays for ever. */
const ATTRIBUTE_CHANGES = 600

/** More than a person needs. Each change mails a notice, which itself has no limit. */
const PASSWORD_CHANGES = 20

/** So many busy networks delay the sign-ins of a user from others, for the rest of the minute. */
const NETWORKS_OF_A_USER = 4
