import type { KeyRefusal } from './application.ts'
import type { IdentityRefusal } from './identity-refusal.ts'

/** The reasons of refusals, by what is refused, as the keys of records. */

export const APPLICATION_TOKEN_REFUSALS = {
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
  too_many_tokens: null,
} satisfies Record<KeyRefusal, null> & Record<string, null>

export const SIGN_IN_REFUSALS = {
  missing_field: null,
  invalid_label: null,
  unknown_email: null,
  unknown_user: null,
  wrong_password: null,
  user_disabled: null,
  no_second_factor: null,
  email_not_verified: null,
  too_many_failures: null,
  too_many_vouched: null,
} as const

/** Some of them only passkeys can have. */
export const SECOND_FACTOR_REFUSALS = {
  missing_field: null,
  token_ended: null,
  wrong_code: null,
  used_code: null,
  wrong_recovery_code: null,
  invalid_credential: null,
  wrong_challenge: null,
  used_challenge: null,
  wrong_origin: null,
  user_not_verified: null,
  unknown_credential: null,
  user_mismatch: null,
  counter_went_back: null,
  too_many_failures: null,
} as const

/** Those of a sign-in with an identity, and of the link of one. */
export const IDENTITY_REASONS = {
  access_denied: null,
  provider_error: null,
  wrong_state: null,
  wrong_issuer: null,
  invalid_id_token: null,
  malformed_answer: null,
  invalid_fields: null,
  email_not_vouched_for: null,
  link_first: null,
  linked_elsewhere: null,
  not_linked: null,
  too_many_identities: null,
  registration_off: null,
  user_disabled: null,
  email_not_verified: null,
  no_second_factor: null,
  too_many_failures: null,
} satisfies Record<IdentityRefusal, null> & Record<string, null>

/** Those of refusals that have codes. */
export const REFUSALS_WITH_CODES = {
  invalid_fields: null,
  wrong_password: null,
  invalid_token: null,
  email_taken: null,
  too_many_failures: null,
} satisfies Record<PasswordChangeRefusal | RecoveryRefusal | NewEmailRefusal, null>

export type ApplicationTokenRefusal = keyof typeof APPLICATION_TOKEN_REFUSALS
export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS
export type SecondFactorRefusal = keyof typeof SECOND_FACTOR_REFUSALS
export type IdentityRefusalReason = keyof typeof IDENTITY_REASONS
export type PasswordChangeRefusal = 'invalid_fields' | 'wrong_password' | 'too_many_failures'
export type RecoveryRefusal = 'invalid_fields' | 'invalid_token' | 'too_many_failures'
export type NewEmailRefusal = 'invalid_fields' | 'email_taken' | 'too_many_failures'

const ALL = {
  ...APPLICATION_TOKEN_REFUSALS,
  ...SIGN_IN_REFUSALS,
  ...SECOND_FACTOR_REFUSALS,
  ...IDENTITY_REASONS,
  ...REFUSALS_WITH_CODES,
}

export type RefusalReason = keyof typeof ALL

/** Every reason. */
export const REFUSAL_REASONS = Object.keys(ALL) as ReadonlyArray<RefusalReason>
