import type {
  ApplicationTokenRefusal,
  NewEmailRefusal,
  PasswordChangeRefusal,
  RecoveryRefusal,
  RefusalReason,
  SecondFactorRefusal,
  SignInRefusal,
} from './event.ts'

/** The reasons of refusals, by what is refused, as the keys of records. A forgotten one does not compile. */

export const APPLICATION_TOKEN_REFUSALS = {
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
  too_many_tokens: null,
} satisfies Record<ApplicationTokenRefusal, null>

export const SIGN_IN_REFUSALS = {
  missing_field: null,
  invalid_label: null,
  unknown_email: null,
  wrong_password: null,
  user_disabled: null,
  no_second_factor: null,
  too_many_failures: null,
} satisfies Record<SignInRefusal, null>

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
} satisfies Record<SecondFactorRefusal, null>

/** Those of refusals that have codes. */
export const REFUSALS_WITH_CODES = {
  invalid_fields: null,
  wrong_password: null,
  invalid_token: null,
  email_taken: null,
  too_many_failures: null,
} satisfies Record<PasswordChangeRefusal | RecoveryRefusal | NewEmailRefusal, null>

/** Every reason. */
export const REFUSAL_REASONS = Object.keys({
  ...APPLICATION_TOKEN_REFUSALS,
  ...SIGN_IN_REFUSALS,
  ...SECOND_FACTOR_REFUSALS,
  ...REFUSALS_WITH_CODES,
} satisfies Record<RefusalReason, null>) as ReadonlyArray<RefusalReason>
