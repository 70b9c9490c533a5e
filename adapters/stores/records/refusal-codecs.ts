import * as t from 'io-ts'
import type {
  ApplicationTokenRefusal,
  NewEmailRefusal,
  PasswordChangeRefusal,
  RecoveryRefusal,
  RefusalReason,
  RefusalType,
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
  too_many_failures: null,
} satisfies Record<SignInRefusal, null>)

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
  CodesReason,
])

export const Refused = t.keyof({
  ApplicationTokenRefused: null,
  SignInRefused: null,
  PasswordChangeRefused: null,
  RecoveryRefused: null,
  RegistrationRefused: null,
  EmailConfirmationRefused: null,
} satisfies Record<RefusalType, null>)
