import type { Text } from './text.ts'

/** English, as the page of second factors says it. */
export const enSecurity = {
  'security.heading': 'Your second factors',
  'security.none': 'You have no second factor. Your password alone protects your account.',
  'security.nothing':
    'Your account has neither a password nor a second factor. Add a passkey, or you can sign in again only with a link by mail.',
  'security.totp': 'Authenticator app',
  'security.passkey': 'Passkey',
  'security.identity': 'Sign-in with another provider',
  'security.added': '{kind}, added on {time}',
  'security.unused': 'Not used yet',
  'security.used': 'Last used on {time}',
  'security.rename': 'Rename',
  'security.remove': 'Remove',
  'security.add_totp': 'Add an authenticator app',
  'security.back': 'Back to your second factors',
  'security.unverified':
    'To add a second factor, first confirm your e-mail address. Otherwise you could not recover your account.',
  'security.too_many':
    'You have the greatest possible number of second factors. To add another one, remove one.',
  'security.off': 'No second factor can be added at present.',
  'security.codes': 'Recovery codes',
  'security.codes_left': { one: 'You have {count} code left.', other: 'You have {count} codes left.' },
  'security.codes_none': 'You have no codes left.',
  'security.codes_use': 'Each one replaces your other factors once, for example if you lose your phone.',
  'security.codes_new': 'New recovery codes',
  'security.codes_made': 'You have new recovery codes',
  'security.codes_changed':
    'No codes were made now, because your account has changed since this form was shown. Perhaps you sent it twice.',
  'security.codes_yours': 'Your recovery codes',
  'security.codes_keep':
    'Print or write them down now, and keep them in a safe place. They are not shown again. Earlier codes no longer work.',
  'security.codes_once':
    'Recovery codes are shown only once. If you did not see the last ones, get new ones: earlier ones then no longer work.',
  'security.scan': 'Scan this picture with your authenticator app. Then enter the code that the app shows.',
  'security.picture': 'QR code for your authenticator app',
  'security.secret': 'Or type this secret into the app:',
  'security.here': 'Is the app on this device?',
  'security.open': 'Open the app',
  'security.code': 'Code that the app shows',
  'security.name': 'Name for this app (optional)',
  'security.name.hint': 'It helps you to tell several apps apart, for example “My phone”.',
  'security.add_this': 'Add this app',
  'security.totp_added': 'Your app was added',
  'security.totp_already': 'Your app was added already',
  'security.passkey_added': 'Your passkey was added',
  'security.passkey_already': 'Your passkey was added already',
  'security.others_out': 'All other devices were signed out. This one stays signed in.',
  'security.again': 'Start again',
  'security.ended':
    'No app was added. You took more than ten minutes, or your password or second factors have changed meanwhile.',
  'security.removing': 'Remove a second factor',
  'security.removing_one': '“{name}” no longer signs you in, and all other devices are signed out.',
  'security.removing_last':
    '“{name}” is your last second factor. Without it, your password alone protects your account, your recovery codes no longer work, and all other devices are signed out.',
  'security.renaming': 'Rename a second factor',
  'security.new_name': 'New name',
  'security.save': 'Save',
} as const satisfies Readonly<Record<string, Text>>
