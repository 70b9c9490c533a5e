import { integer, type SettingsIn } from './setting.ts'

/** Tokens, recoveries and vouched sign-ins count for an application, mails for the service, the others for a network. 0 is no limit. */
export type ThrottleSettings = Readonly<{
  accountFailures: number
  addressFailures: number
  tokensPerMinute: number
  recoveriesPerHour: number
  vouchedPerHour: number
  registrationsPerHour: number
  signInsPerMinute: number
  mailsPerHour: number
}>

export const THROTTLE_TABLE = {
  THROTTLE_ACCOUNT_FAILURES: integer(30, 1, 1_000_000),
  THROTTLE_ADDRESS_FAILURES: integer(300, 1, 1_000_000),
  THROTTLE_APPLICATION_TOKENS: integer(0, 0, 1_000_000),
  THROTTLE_RECOVERIES: integer(600, 1, 1_000_000),
  THROTTLE_REGISTRATIONS: integer(0, 0, 1_000_000),
  THROTTLE_SIGN_INS: integer(60, 1, 1_000_000),
  THROTTLE_VOUCHED: integer(600, 1, 1_000_000),
}

/** `THROTTLE_MAILS` requires a setting of mails, so it is among those. */
export const toThrottleSettings = (
  set: SettingsIn<typeof THROTTLE_TABLE> & Readonly<{ THROTTLE_MAILS: number }>,
): ThrottleSettings => ({
  accountFailures: set.THROTTLE_ACCOUNT_FAILURES,
  addressFailures: set.THROTTLE_ADDRESS_FAILURES,
  tokensPerMinute: set.THROTTLE_APPLICATION_TOKENS,
  recoveriesPerHour: set.THROTTLE_RECOVERIES,
  registrationsPerHour: set.THROTTLE_REGISTRATIONS,
  signInsPerMinute: set.THROTTLE_SIGN_INS,
  vouchedPerHour: set.THROTTLE_VOUCHED,
  mailsPerHour: set.THROTTLE_MAILS,
})
