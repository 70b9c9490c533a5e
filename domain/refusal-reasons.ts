import type { RefusalReason } from './event.ts'

/** Every reason of a refusal. A forgotten one does not compile. */
export const REFUSAL_REASONS = Object.keys({
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
  too_many_tokens: null,
  invalid_label: null,
  unknown_email: null,
  wrong_password: null,
  user_disabled: null,
  no_second_factor: null,
  token_ended: null,
  wrong_code: null,
  used_code: null,
  wrong_recovery_code: null,
  invalid_credential: null,
  unknown_credential: null,
  user_mismatch: null,
  counter_went_back: null,
  invalid_fields: null,
  invalid_token: null,
  email_taken: null,
  too_many_failures: null,
} satisfies Record<RefusalReason, null>) as ReadonlyArray<RefusalReason>
