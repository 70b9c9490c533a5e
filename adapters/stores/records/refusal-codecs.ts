import * as t from 'io-ts'
import type {
  ApplicationTokenRefusal,
  NewEmailRefusal,
  PasswordChangeRefusal,
  RecoveryRefusal,
  RefusalReason,
  RefusalType,
  SecondFactorRefusal,
  SignInRefusal,
} from '../../../domain/event.ts'

/** The reasons of refused requests, as entries of the log have them. */

export const TokenRefusal = t.keyof({
  missing_field: null,
  malformed_key: null,
  unknown_application: null,
  wrong_private_key: null,
  previous_key_expired: null,
  application_revoked: null,
  too_many_tokens: null,
} satisfies Record<ApplicationTokenRefusal, null>)

export const SignInRefusalReason = t.keyof({
  missing_field: null,
  invalid_label: null,
  unknown_email: null,
  wrong_password: null,
  user_disabled: null,
  no_second_factor: null,
  too_many_failures: null,
} satisfies Record<SignInRefusal, null>)

export const SecondFactorRefusalReason = t.keyof({
  missing_field: null,
  token_ended: null,
  wrong_code: null,
  used_code: null,
  wrong_recovery_code: null,
  invalid_credential: null,
  unknown_credential: null,
  user_mismatch: null,
  counter_went_back: null,
  too_many_failures: null,
} satisfies Record<SecondFactorRefusal, null>)

/** The reasons of refusals that have codes. */
const CodesReason = t.keyof({
  invalid_fields: null,
  wrong_password: null,
  invalid_token: null,
  email_taken: null,
  too_many_failures: null,
} satisfies Record<PasswordChangeRefusal | RecoveryRefusal | NewEmailRefusal, null>)

export const AnyReason: t.Type<RefusalReason, unknown, unknown> = t.union([
  TokenRefusal,
  SignInRefusalReason,
  SecondFactorRefusalReason,
  CodesReason,
])

export const Refused = t.keyof({
  ApplicationTokenRefused: null,
  SignInRefused: null,
  SecondFactorRefused: null,
  PasswordChangeRefused: null,
  RecoveryRefused: null,
  RegistrationRefused: null,
  EmailConfirmationRefused: null,
} satisfies Record<RefusalType, null>)
