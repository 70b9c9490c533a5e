import type { Reason } from '../../adapters/client/results.ts'

/** The reason of a problem. A new problem needs one here. */
export const reasonOf = (problem: string): Reason => {
  if (problem.endsWith('Missing') && !(problem in REASONS)) return 'missing'
  if (problem.startsWith('PasswordRule')) return 'refused_by_rule'
  const reason = REASONS[problem]
  if (reason === undefined) throw new Error(`${problem} has no reason: add it to tests/client/reasons.ts.`)
  return reason
}

/** Names of problems that several operations have mean the same in all of them. */
const REASONS: Readonly<Record<string, Reason>> = {
  PasswordDoesNotMatch: 'wrong_password',
  PasswordWrong: 'wrong_password',
  OldPasswordWrong: 'wrong_password',
  TotpWrong: 'wrong_code',
  RecoveryCodeWrong: 'wrong_code',
  CredentialInvalid: 'invalid_credential',
  PasskeyRefused: 'invalid_credential',
  EmailMalformed: 'malformed',
  LabelMalformed: 'malformed',
  AddMalformed: 'malformed',
  RemoveMalformed: 'malformed',
  NameMalformed: 'malformed',
  GivenNameMalformed: 'malformed',
  FamilyNameMalformed: 'malformed',
  PictureMalformed: 'malformed',
  LocaleMalformed: 'malformed',
  LanguageMalformed: 'malformed',
  ZoneinfoMalformed: 'malformed',
  MetadataMalformed: 'malformed',
  MetadataTooLarge: 'too_large',
  CursorMalformed: 'malformed',
  NextOfAnotherSearch: 'malformed',
  ConditionsClash: 'not_combinable',
  NoneOrBoth: 'not_combinable',
  EmailTaken: 'taken',
  CredentialTaken: 'taken',
  CredentialYours: 'taken',
  UserNotNamed: 'missing',
  UserUnknown: 'unknown',
  EmailUnknown: 'unknown',
  MethodUnknown: 'unknown',
  UserDisabled: 'disabled',
  SessionNotYours: 'unknown',
  FactorNotYours: 'unknown',
  StatusUnknown: 'unknown',
  TypeUnknown: 'unknown',
  ReturnToUnknown: 'unknown',
  TokenInvalid: 'ended',
  TokenEnded: 'ended',
  TokenUnusable: 'ended',
  AssuranceTooLow: 'ended', // it has the code of `TokenUnusable`
  EnrolmentEnded: 'ended',
  UserTokenNotFresh: 'not_fresh',
  LimitOutOfRange: 'out_of_range',
  WaitOutOfRange: 'out_of_range',
  NewPasswordCheckDiffers: 'different',
  PasswordTooShort: 'too_short',
  PasswordLeaked: 'leaked',
  PasswordFromNames: 'from_names',
  PasswordCommon: 'common',
  PasswordGuessable: 'guessable',
  EmailNotVerified: 'email_not_verified',
  TooManyFactors: 'too_many_factors',
  TooManyRoles: 'too_many_roles',
  NoFactor: 'no_factor',
  NoPasskey: 'no_passkey',
  SendConfirmationOff: 'no_mail',
  SecondFactorDue: 'second_factor_due',
  SecondFactorMissing: 'second_factor_missing',
  PasswordNotEnough: 'second_factor_required',
}
