import type { Text } from './text.ts'

/** English, as the pages say it about identity providers. */
export const enIdentities = {
  'identity.sign_in': 'Sign in with {provider}',
  'identity.step_up': 'Confirm with {provider}',
  'identity.link': 'Link {provider}',
  'identity.heading': 'Sign-in with other providers',
  'identity.intro': 'With a linked account of another provider you sign in here, too.',
  'identity.unverified': 'To link an account of another provider, first confirm your e-mail address.',
  'identity.too_many': 'You have linked ten accounts. To link another one, remove one.',
  'identity.no_factor': 'You have no second factor.',
  'identity.removing': 'Remove the sign-in with another provider',
  'identity.renaming': 'Rename the sign-in with another provider',

  'identity.ended.title': 'This sign-in cannot go on here',
  'identity.ended.text':
    'It was started in another browser, or more than ten minutes ago, or it was completed already. Nothing was changed now.',
  'identity.again': 'Sign in again',
  'identity.other.text':
    'Your account at the provider belongs to another account here. Nothing was changed. To sign in with that one, sign in again, and confirm that {email} is signed out.',

  'identity.refused': 'The sign-in at the provider did not succeed. Try again, or sign in another way.',
  'identity.no_email':
    'The provider does not say that your e-mail address is confirmed. Sign in another way, and then link the provider in your account.',
  'identity.link_first':
    'Your account is not linked to this provider. Sign in another way, or set a new password. Then link the provider in your account.',
  'identity.disabled': 'This account is disabled.',
  'identity.unknown': 'No account here has the e-mail address that you have at the provider.',
  'identity.taken': 'Your account at the provider is linked to an account here already.',
  'identity.last_way_in':
    'This was not removed, because you could not sign in any more. First set a password, or add a passkey.',

  'notice.identity_linked': 'The provider is linked. All other devices were signed out.',
  'notice.identity_removed': 'The sign-in with the provider was removed. All other devices were signed out.',
  'home.security_identities': 'Second factors and other providers',
} as const satisfies Readonly<Record<string, Text>>
