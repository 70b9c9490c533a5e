import * as t from 'io-ts'
import type { RefusalReason, RefusalType } from '../../../domain/event.ts'
import {
  APPLICATION_TOKEN_REFUSALS,
  REFUSALS_WITH_CODES,
  SECOND_FACTOR_REFUSALS,
  SIGN_IN_REFUSALS,
} from '../../../domain/refusal-reasons.ts'

/** The reasons of refused requests, as entries of the log have them. */

export const TokenRefusal = t.keyof(APPLICATION_TOKEN_REFUSALS)
export const SignInRefusalReason = t.keyof(SIGN_IN_REFUSALS)
export const SecondFactorRefusalReason = t.keyof(SECOND_FACTOR_REFUSALS)

export const AnyReason: t.Type<RefusalReason, unknown, unknown> = t.union([
  TokenRefusal,
  SignInRefusalReason,
  SecondFactorRefusalReason,
  t.keyof(REFUSALS_WITH_CODES),
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
