import type { Text } from './text.ts'

/** English, as the pages say it. */
export const enPages = {
  'page.error': 'Error: {text}',
  'page.problem': 'There is a problem',
  'page.languages': 'Languages',
  'page.back': 'Back to your account',
  'page.show': 'Show',
  'page.hide': 'Hide',
  'page.or': 'or',

  'go.heading': 'One moment',
  'go.link': 'Continue',

  'fail.elsewhere.title': 'The form came from another site',
  'fail.elsewhere.text':
    'Nothing was changed. Forms are accepted only from pages at {origin}. Open the page there, and fill in the form again.',
  'fail.unreadable.title': 'The form could not be read',
  'fail.unreadable.text': 'Nothing was changed. Open this page again, and fill in the form again.',
  'fail.throttled.title': 'Too many attempts',
  'fail.throttled.text': 'Nothing was changed. Wait {wait}, then try again.',
  'fail.throttled.codes':
    'Nothing was changed. No more codes of your app are accepted until you use a recovery code or a passkey, or set a new password by mail.',
  'fail.busy.title': 'The service is busy',
  'fail.busy.text': 'Nothing was changed. Try again in a few seconds.',
  'fail.provider.title': 'The other provider does not answer',
  'fail.provider.text': 'Nothing was changed. Try again in a few minutes, or sign in another way.',
  'fail.key.title': 'Codes of your app cannot be checked now',
  'fail.key.text': 'Nothing was changed. Use a recovery code, or try again later.',
  'fail.unknown.title': 'The outcome is unknown',
  'fail.unknown.text':
    'The change was made completely, or not at all. Look at your account before you try again.',
  'fail.closed.title': 'These pages are closed',
  'fail.closed.text': 'Nothing was changed. The operator of this service has closed them. Try again later.',
  'wait.seconds': { one: '{count} second', other: '{count} seconds' },
  'wait.minutes': { one: '{count} minute', other: '{count} minutes' },
  'wait.hours': { one: '{count} hour', other: '{count} hours' },

  'field.email': 'E-mail address',
  'field.password': 'Password',
  'field.old_password': 'Current password',
  'field.new_password': 'New password',
  'field.new_password.hint': 'Use at least {count} characters. Several words are easy to remember.',
  'field.new_password_check': 'New password again',
  'field.totp': 'Code of your authenticator app',
  'field.recovery_code': 'Or a recovery code',
  'field.recovery_code.hint': 'Use it if you do not have the app. Each recovery code works once.',

  'error.email_missing': 'Enter your e-mail address.',
  'error.password_missing': 'Enter your password.',
  'error.credentials': 'The e-mail address and the password do not match.',
  'error.password_wrong': 'The password is wrong.',
  'error.code_missing': 'Enter the code of your app or a recovery code, not both.',
  'error.totp_wrong': 'The code is wrong or was used already. Wait for the next one, and enter it.',
  'error.recovery_code_wrong': 'The recovery code is wrong or was used already.',
  'error.passkey': 'The passkey was not accepted. Try again.',
  'error.passkey_sign_in': 'The passkey does not sign you in. Try again, or enter your password.',
  'error.email_not_verified': 'Confirm your e-mail address first: open the link in the mail that you got.',
  'error.second_factor_missing':
    'Signing in here needs a second factor, and your account has none. Ask the operator of this service.',
  'error.new_password_missing': 'Enter a new password.',
  'error.new_password_check_missing': 'Enter the new password again.',
  'error.new_password_check_differs': 'This is not the same as the new password.',
  'error.password_short': 'The new password has fewer than {count} characters.',
  'error.password_leaked': 'The new password is on the list of leaked passwords.',
  'error.password_names': 'The new password is built from the e-mail address or the name of the service.',
  'error.password_common': 'The new password is built from passwords or words that many people choose.',
  'error.password_guessable': 'The new password is built from patterns that are easy to guess.',
  'error.password_rule': 'The new password {predicate}',

  'passkey.use': 'Sign in with a passkey',
  'passkey.use_failed': 'No passkey was used. Try again, or use another way to sign in.',

  'authorize.wrong.title': 'The application sent a wrong request',
  'authorize.wrong.text':
    'Go back to the application and try again. If that does not help, tell its operator what stands below.',
  'notice.choose_account': 'With which account do you want to go on?',
  'notice.other_account': 'The application asks for another account. Sign in with that one.',
  'notice.factor_needed': 'The application requires a second factor. Add one, then continue.',
  'notice.email_needed': 'The application requires a confirmed e-mail. Confirm yours, then continue.',
  'notice.signed_out': 'You are signed out.',
  'notice.no_cookie':
    'Your browser refused the cookie of your sign-in. Allow cookies for this site, then sign in again.',
  'notice.expired': 'You were signed out. Sign in again, and repeat what you did. Nothing was changed.',
  'notice.password_changed': 'Your password was changed. All other devices were signed out.',
  'notice.session_ended': 'The device was signed out.',
  'notice.language_saved': 'The language was saved.',
  'notice.others_ended': 'All other devices were signed out.',

  'sign_in.heading': 'Sign in',
  'sign_in.button': 'Sign in',
  'sign_in.other.title': 'You are signed in as {email}',
  'sign_in.other.text':
    'If you sign in with another account, {email} is signed out in this browser. Sign in again to go on.',
  'sign_in.stay': 'Stay signed in as {email}',

  'second_factor.heading': 'Confirm that it is you',
  'second_factor.intro': 'Your account also needs a second factor.',
  'second_factor.button': 'Continue',
  'second_factor.again': 'Start again',
  'second_factor.ended':
    'You took more than five minutes, or your account has changed meanwhile. Sign in again.',

  'home.heading': 'Your account',
  'home.verified': 'E-mail address confirmed',
  'home.not_verified': 'E-mail address not confirmed yet',
  'home.password': 'Change your password',
  'home.security': 'Second factors',
  'home.sessions': 'Where you are signed in',
  'home.this': 'This device',
  'home.unnamed': 'Unnamed device',
  'home.since': 'Since {time}',
  'home.session': '{application}, since {time}',
  'home.end': 'Sign out there',
  'home.end_others': 'Sign out everywhere else',
  'home.language': 'Language of pages and mails',
  'home.language.button': 'Save',
  'home.sign_out': 'Sign out',

  'sign_in.client': 'Sign in to continue to {name}.',
  'sign_out.heading': 'Sign out',
  'sign_out.text': 'You are signed in as {email}.',
  'sign_out.all':
    'You are signed in as {email}. All applications that you opened in this browser are signed out, too.',
  'sign_out.stay': 'Stay signed in',
  'sign_out.wrong.title': 'The application sent a wrong request',
  'sign_out.wrong.text':
    'You are still signed in, because the address to return to is not one of the application.',
  'sign_out.wrong.nobody': 'The address to return to is not one of the application.',

  'step_up.heading': 'Confirm that it is you',
  'step_up.intro': 'You are about to change what protects your account.',
  'step_up.button': 'Continue',

  'password.heading': 'Change your password',
  'password.intro': 'All other devices are signed out. This one stays signed in.',
  'password.button': 'Change password',
  'password.none': 'Your account has no password.',

  'passkey.add': 'Add a passkey',
  'passkey.add_failed':
    'No passkey was added. Try again, or use another device. A device that already has a passkey for this account cannot add another one.',

  'error.app_code_missing': 'Enter the code that the app shows.',
  'error.factor_name': 'Enter a name of 1 to 64 printable characters.',
  'error.passkey_missing': 'The browser sent no passkey. Try again.',
  'error.passkey_taken': 'This passkey belongs to another account.',

  'notice.totp_added': 'The app was added. All other devices were signed out.',
  'notice.passkey_added': 'The passkey was added. All other devices were signed out.',
  'notice.factor_renamed': 'The name was saved.',
  'notice.factor_removed': 'The second factor was removed. All other devices were signed out.',
  'notice.factor_gone': 'This second factor was removed meanwhile.',

  'notice.recovered': 'Your new password is set, and you are signed out everywhere. Sign in with it.',

  'field.new_email': 'New e-mail address',
  'field.present_email': 'Current e-mail address',
  'error.email_malformed': 'Enter an e-mail address, like name@example.com.',
  'error.email_taken': 'Another account has this e-mail address.',
  'error.new_email_missing': 'Enter the new e-mail address.',

  'mailbox.heading': 'Look into your mailbox',
  'mailbox.hint': 'The mail can take some minutes. Look into the folder for spam too.',

  'forgotten.link': 'Forgot your password?',
  'forgotten.heading': 'Set a new password',
  'forgotten.intro': 'Enter the e-mail address of your account. We mail you a link to set a new password.',
  'forgotten.button': 'Mail me a link',
  'forgotten.done': 'If there is an account with this e-mail address, a mail with a link is on its way.',
  'forgotten.again': 'Use another e-mail address',
  'forgotten.back': 'Back to the sign-in',

  'link.unusable': 'This link cannot be used',
  'link.incomplete': 'The link is not complete. Open the whole link from the mail.',
  'link.ended': 'The link is wrong, was used already or has ended.',
  'link.email_ended': 'The link is wrong, was used already or has ended, or another account has the address.',
  'link.start_again': 'Return to the application and start again.',
  'link.another': 'Ask for another link',
  'link.other':
    'You are signed in as {visitor}, and this link is for {email}. You can use it, and {visitor} stays signed in.',
  'link.return': 'Return to the application',

  'recovery.heading': 'Choose a new password',
  'recovery.intro': 'The new password signs you out everywhere.',
  'recovery.button': 'Set the new password',

  'email.heading': 'Confirm your e-mail address',
  'email.intro': 'Confirm only if you asked for it yourself.',
  'email.button': 'Confirm',
  'email.done': 'Your e-mail address is confirmed',
  'email.done.text': 'You can close this page.',

  'change_email.heading': 'Change your e-mail address',
  'change_email.intro':
    'We mail a link to the new address. Your address changes once you open it and confirm.',
  'change_email.button': 'Mail a link there',
  'change_email.done': 'Look into the mailbox of {email}: open the link in the mail to confirm the address.',
  'change_email.present': 'Your current address',
  'change_email.unconfirmed': '{email} is not confirmed yet. We can mail you a link to confirm it.',
  'change_email.confirm': 'Mail me a link',
  'change_email.other': 'Another address',
  'change_email.step_up': 'Before you change your e-mail address, confirm that it is you.',

  'password.mail_link': 'Mail me a link to set a password',
  'home.email': 'Change your e-mail address',
  'home.email.unconfirmed': 'Confirm or change your e-mail address',

  'notice.registered': 'Your account is ready. Sign in.',
  'notice.already_done': 'This was done already. Sign in.',
  'notice.other_registered': 'The new account is ready. You are still signed in with this one.',
  'sign_in.register': 'Create an account',
  'register.heading': 'Create an account',
  'register.intro': 'Enter your e-mail address. We mail you a link, with which you choose a password.',
  'register.button': 'Mail the link',
  'register.mailed.text':
    'A mail is on its way to the address that you entered. Open the link in it to go on. If nothing comes within minutes, look into the spam folder.',
  'register.again': 'Enter the e-mail address again',
  'register.finish': 'Choose a password',
  'register.finish.text': 'Your e-mail address is confirmed. With a password, your account is ready.',
  'register.done': 'Create the account',
  'register.ended': 'This link cannot be used',
  'register.ended.text':
    'The link is incomplete or has ended. Enter your e-mail address again to get a new one.',
  'register.sign_in': 'I have an account already',
  'register.other': 'You are signed in as {email}, and stay so.',

  'notice.removed': 'Your account was removed.',
  'home.remove': 'Remove your account',
  'remove.heading': 'Remove your account',
  'remove.text':
    'Everything about your account is deleted, and you are signed out everywhere. You cannot undo this.',
  'remove.sure': 'I am sure: remove my account for good',
  'remove.not_sure': 'Tick this box if you are sure.',
  'remove.button': 'Remove the account',
} as const satisfies Readonly<Record<string, Text>>
