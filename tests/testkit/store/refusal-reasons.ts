import type {
  ApplicationTokenRefusal,
  IdentityRefusalReason,
  RefusalReason,
  SecondFactorRefusal,
  SignInRefusal,
} from '../../../domain/refusal-reasons.ts'

/** Keyed by reason, so that one that is forgotten here does not compile. */
const OF_TOKENS: Readonly<Record<ApplicationTokenRefusal, true>> = {
  missing_field: true,
  malformed_key: true,
  unknown_application: true,
  wrong_private_key: true,
  previous_key_expired: true,
  application_revoked: true,
  too_many_tokens: true,
}

const OF_SIGN_INS: Readonly<Record<SignInRefusal, true>> = {
  missing_field: true,
  invalid_label: true,
  unknown_email: true,
  unknown_user: true,
  wrong_password: true,
  user_disabled: true,
  no_second_factor: true,
  email_not_verified: true,
  too_many_failures: true,
  too_many_vouched: true,
}

const OF_SECOND_FACTORS: Readonly<Record<SecondFactorRefusal, true>> = {
  missing_field: true,
  token_ended: true,
  wrong_code: true,
  used_code: true,
  wrong_recovery_code: true,
  invalid_credential: true,
  wrong_challenge: true,
  used_challenge: true,
  wrong_origin: true,
  user_not_verified: true,
  unknown_credential: true,
  user_mismatch: true,
  counter_went_back: true,
  too_many_failures: true,
}

const OF_IDENTITIES: Readonly<Record<IdentityRefusalReason, true>> = {
  access_denied: true,
  provider_error: true,
  wrong_state: true,
  wrong_issuer: true,
  invalid_id_token: true,
  malformed_answer: true,
  invalid_fields: true,
  email_not_vouched_for: true,
  link_first: true,
  linked_elsewhere: true,
  not_linked: true,
  too_many_identities: true,
  registration_off: true,
  user_disabled: true,
  email_not_verified: true,
  no_second_factor: true,
  too_many_failures: true,
}

const ALL: Readonly<Record<RefusalReason, true>> = {
  ...OF_TOKENS,
  ...OF_SIGN_INS,
  ...OF_SECOND_FACTORS,
  ...OF_IDENTITIES,
  invalid_token: true,
  email_taken: true,
}

export const TOKEN_REASONS = Object.keys(OF_TOKENS) as ReadonlyArray<ApplicationTokenRefusal>
export const SIGN_IN_REASONS = Object.keys(OF_SIGN_INS) as ReadonlyArray<SignInRefusal>
export const SECOND_FACTOR_REASONS = Object.keys(OF_SECOND_FACTORS) as ReadonlyArray<SecondFactorRefusal>
export const IDENTITY_REASONS = Object.keys(OF_IDENTITIES) as ReadonlyArray<IdentityRefusalReason>

/** Every reason of a refusal. */
export const REASONS = Object.keys(ALL) as ReadonlyArray<RefusalReason>
