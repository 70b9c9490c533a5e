import type { Message } from '../../application/ports/mail.ts'
import { MAIL_KINDS } from '../../domain/mail.ts'

/** A message, its subjects, and what its English text must contain. */
type Sample = Readonly<{ message: Message; en: string; de: string; says: ReadonlyArray<string> }>

const LINK = 'https://auth.example.com/account/recover?token=orc_0b9S2m7GqYp3vK1xLwTzRc8NfHdAeUiJ5oQ4tXyZb6M'
const TIME = 'December 8, 2026 at 01:08 UTC'
const CONTACT = 'help@example.com'
const atSeconds = 1_796_692_110

/** The subjects are those that people know: a change is one of the product. */
export const MESSAGES: ReadonlyArray<Sample> = [
  {
    message: { kind: 'recovery', link: LINK, lifetimeSeconds: 3_600 },
    en: 'Set a new password',
    de: 'Neues Passwort setzen',
    says: ['60 minutes', 'Otterworks'],
  },
  {
    message: { kind: 'registration', link: LINK, lifetimeSeconds: 86_400 },
    en: 'Finish your registration',
    de: 'Registrierung abschließen',
    says: ['24 hours'],
  },
  {
    message: {
      kind: 'registration_known',
      link: 'https://auth.example.com/account/sign-in',
      recoveryLink: 'https://auth.example.com/account/forgotten',
    },
    en: 'You already have an account',
    de: 'Sie haben schon ein Konto',
    says: ['Nothing was changed'],
  },
  {
    message: { kind: 'email_confirmation', link: LINK, lifetimeSeconds: 86_400 },
    en: 'Confirm your e-mail address',
    de: 'E-Mail-Adresse bestätigen',
    says: ['24 hours'],
  },
  {
    message: { kind: 'email_entered', atSeconds },
    en: 'Another e-mail address was entered for your account',
    de: 'Für Ihr Konto wurde eine andere E-Mail-Adresse eingegeben',
    says: [TIME, CONTACT],
  },
  {
    message: { kind: 'email_changed', atSeconds },
    en: 'Your e-mail address was changed',
    de: 'Ihre E-Mail-Adresse wurde geändert',
    says: [TIME, CONTACT],
  },
  {
    message: { kind: 'password_changed', atSeconds, link: 'https://auth.example.com/account/forgotten' },
    en: 'Your password was changed',
    de: 'Ihr Passwort wurde geändert',
    says: [TIME, CONTACT, 'set a new password now'],
  },
  {
    message: { kind: 'password_changed', atSeconds, link: undefined },
    en: 'Your password was changed',
    de: 'Ihr Passwort wurde geändert',
    says: [TIME, CONTACT],
  },
  {
    message: { kind: 'password_recovered', atSeconds, link: undefined },
    en: 'Your password was reset',
    de: 'Ihr Passwort wurde zurückgesetzt',
    says: [TIME, CONTACT],
  },
  {
    message: { kind: 'factor_added', atSeconds, factor: 'totp' },
    en: 'A second factor was added',
    de: 'Ein zweiter Faktor wurde hinzugefügt',
    says: [TIME, CONTACT, 'an authenticator app'],
  },
  {
    message: { kind: 'factor_removed', atSeconds, factor: 'passkey' },
    en: 'A second factor was removed',
    de: 'Ein zweiter Faktor wurde entfernt',
    says: [TIME, CONTACT, 'a passkey'],
  },
  {
    message: { kind: 'factor_removed', atSeconds, factor: undefined },
    en: 'A second factor was removed',
    de: 'Ein zweiter Faktor wurde entfernt',
    says: [TIME, CONTACT, 'all second factors'],
  },
  {
    message: { kind: 'recovery_codes', atSeconds, areNew: true, codesLeft: 10 },
    en: 'New recovery codes',
    de: 'Neue Wiederherstellungscodes',
    says: [TIME, CONTACT, '10 new recovery codes'],
  },
  {
    message: { kind: 'recovery_codes', atSeconds, areNew: false, codesLeft: 1 },
    en: 'A recovery code was used',
    de: 'Ein Wiederherstellungscode wurde verwendet',
    says: [TIME, CONTACT, '1 code is left'],
  },
  {
    message: { kind: 'recovery_codes', atSeconds, areNew: false, codesLeft: 0 },
    en: 'A recovery code was used',
    de: 'Ein Wiederherstellungscode wurde verwendet',
    says: ['0 codes are left'],
  },
  {
    message: { kind: 'password_leaked', atSeconds },
    en: 'Your password was entered without the second factor',
    de: 'Ihr Passwort wurde ohne zweiten Faktor eingegeben',
    says: [TIME, CONTACT, 'Change it now'],
  },
  {
    message: { kind: 'account_removed', atSeconds },
    en: 'Your account was removed',
    de: 'Ihr Konto wurde gelöscht',
    says: [TIME, CONTACT],
  },
  {
    message: { kind: 'welcome', link: 'https://auth.example.com/account' },
    en: 'Welcome to Otterworks',
    de: 'Willkommen bei Otterworks',
    says: ['Otterworks'],
  },
  {
    message: { kind: 'new_sign_in', atSeconds, device: 'Firefox on Linux' },
    en: 'New sign-in',
    de: 'Neue Anmeldung',
    says: [TIME, CONTACT, 'Firefox on Linux'],
  },
  {
    message: { kind: 'test', atSeconds },
    en: 'Test mail of Otterworks',
    de: 'Testmail von Otterworks',
    says: [TIME],
  },
]

export const KINDS = Object.keys(MAIL_KINDS)
