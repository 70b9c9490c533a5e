import { event, type RefusalType } from './event-row.ts'

/** The events of refused requests. The subject is the service if the application or user is unknown. */
export const REFUSALS = {
  ApplicationTokenRefused: event(
    ['application', 'service'],
    { reason: 'refusal of an application token' },
    'none',
    'application token refused',
  ),
  SignInRefused: event(['user', 'service'], { reason: 'refusal of a sign-in' }, 'none', 'sign-in refused'),
  SecondFactorRefused: event(
    ['user', 'service'],
    { reason: 'refusal of a second factor' },
    'none',
    'second factor refused',
  ),
  IdentityRefused: event(
    ['user', 'service'],
    { 'provider?': 'text', reason: 'refusal of an identity' },
    'none',
    'sign-in with an identity refused',
  ),
  PasswordChangeRefused: event('user', { codes: 'codes' }, 'none', 'password change refused'),
  RecoveryRefused: event(['user', 'service'], { codes: 'codes' }, 'none', 'password recovery refused'),
  RegistrationRefused: event('application', { codes: 'codes' }, 'none', 'registration refused'),
  EmailConfirmationRefused: event(
    ['user', 'service'],
    { codes: 'codes' },
    'none',
    'e-mail confirmation refused',
  ),
} satisfies Record<RefusalType, unknown>
