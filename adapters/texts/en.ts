import { enIdentities } from './en-identities.ts'
import { enPages } from './en-pages.ts'
import { enSecurity } from './en-security.ts'
import type { Text } from './text.ts'

/** English. The texts of every other language have the same names, and want the same values. */
export const en = {
  ...enIdentities,
  ...enPages,
  ...enSecurity,

  'mail.minutes': { one: '{count} minute', other: '{count} minutes' },
  'mail.hours': { one: '{count} hour', other: '{count} hours' },
  'mail.link_life': 'The link works once, for {lifetime}.',
  'mail.if_you': 'If this was you, there is nothing to do.',
  'mail.if_not_you': 'If this was not you, write to {contact}.',
  'mail.if_not_you_set_password': 'If this was not you, write to {contact}, and set a new password now:',
  'mail.ignore': 'If this was not you, ignore this mail. Nothing was changed.',

  'mail.recovery.subject': 'Set a new password',
  'mail.recovery.body':
    'Someone asked to set a new password for your {name} account. To set it, open this link:',
  'mail.recovery.ignore': 'If this was not you, ignore this mail. Your password stays as it is.',

  'mail.registration.subject': 'Finish your registration',
  'mail.registration.body':
    'Someone entered this e-mail address to create a {name} account. To finish the registration, open this link:',
  'mail.registration.ignore': 'If this was not you, ignore this mail. No account is created.',

  'mail.registration_known.subject': 'You already have an account',
  'mail.registration_known.body':
    'Someone entered this e-mail address to create a {name} account, but you already have one. Sign in here:',
  'mail.registration_known.recover': 'If you forgot your password, set a new one here:',

  'mail.email_confirmation.subject': 'Confirm your e-mail address',
  'mail.email_confirmation.body':
    'This e-mail address was entered for a {name} account. To confirm that it is yours, open this link:',
  'mail.email_confirmation.ignore': 'If this was not you, ignore this mail. The address is not confirmed.',

  'mail.email_entered.subject': 'Another e-mail address was entered for your account',
  'mail.email_entered.body':
    'On {time}, another e-mail address was entered for your {name} account. It replaces this address once it is confirmed.',

  'mail.email_changed.subject': 'Your e-mail address was changed',
  'mail.email_changed.body':
    'On {time}, the e-mail address of your {name} account was changed. This address no longer belongs to the account.',

  'mail.password_changed.subject': 'Your password was changed',
  'mail.password_changed.body': 'On {time}, the password of your {name} account was changed.',

  'mail.password_recovered.subject': 'Your password was reset',
  'mail.password_recovered.body':
    'On {time}, the password of your {name} account was reset with a link from a mail. All devices were signed out.',

  'mail.factor_added.subject': 'A second factor was added',
  'mail.factor_added.body': 'On {time}, a second factor was added to your {name} account: {factor}.',
  'mail.factor_removed.subject': 'A second factor was removed',
  'mail.factor_removed.body': 'On {time}, a second factor was removed from your {name} account: {factor}.',
  'mail.factor_removed.all': 'On {time}, all second factors were removed from your {name} account.',
  'mail.factor.all': 'all second factors',
  'mail.factor.totp': 'an authenticator app',
  'mail.factor.passkey': 'a passkey',
  'mail.identity_added.subject': 'A sign-in with another provider was added',
  'mail.identity_added.body': 'On {time}, a sign-in with another provider was added to your {name} account.',
  'mail.identity_removed.subject': 'A sign-in with another provider was removed',
  'mail.identity_removed.body':
    'On {time}, a sign-in with another provider was removed from your {name} account.',
  'mail.factor.recovery_codes': 'recovery codes',

  'mail.recovery_codes.made_subject': 'New recovery codes',
  'mail.recovery_codes.made': {
    one: 'On {time}, {count} new recovery code was made for your {name} account. Earlier codes no longer work.',
    other:
      'On {time}, {count} new recovery codes were made for your {name} account. Earlier codes no longer work.',
  },
  'mail.recovery_codes.used_subject': 'A recovery code was used',
  'mail.recovery_codes.used': {
    one: 'On {time}, a recovery code of your {name} account was used. {count} code is left.',
    other: 'On {time}, a recovery code of your {name} account was used. {count} codes are left.',
  },

  'mail.password_leaked.subject': 'Your password was entered without the second factor',
  'mail.password_leaked.body':
    'On {time}, someone entered the password of your {name} account, but not the second factor. The sign-in was not completed.',
  'mail.password_leaked.if_not_you':
    'If this was not you, someone knows your password. Change it now, and write to {contact}.',

  'mail.account_removed.subject': 'Your account was removed',
  'mail.account_removed.body': 'On {time}, your {name} account was removed.',

  'mail.welcome.subject': 'Welcome to {name}',
  'mail.welcome.body': 'Your {name} account is ready. You manage it here:',

  'mail.device.unnamed': 'an unnamed device',
  'mail.new_sign_in.subject': 'New sign-in',
  'mail.new_sign_in.body':
    'On {time}, someone signed in to your {name} account on a device that is new: {device}.',
  'mail.new_sign_in.unnamed': 'On {time}, someone signed in to your {name} account on a device that is new.',

  'mail.test.subject': 'Test mail of {name}',
  'mail.test.body': 'This is a test mail of {time}. {name} can send mails.',
} as const satisfies Readonly<Record<string, Text>>
