import type { Problem } from 'portcullis-client'
import { escaped, type Field, formOf, page } from './form.ts'

export const SIGN_IN: ReadonlyArray<Field> = [
  ['email', 'E-Mail', 'username'],
  ['password', 'Passwort', 'current-password'],
  ['remember', 'Angemeldet bleiben', 'off'],
]
export const NEW_PASSWORD: ReadonlyArray<Field> = [
  ['newPassword', 'Neues Passwort', 'new-password'],
  ['newPasswordCheck', 'Neues Passwort, noch einmal', 'new-password'],
]
export const PASSWORD_CHANGE: ReadonlyArray<Field> = [
  ['oldPassword', 'Bisheriges Passwort', 'current-password'],
  ...NEW_PASSWORD,
]

/** Each provider of `IDENTITY_PROVIDERS_FILE` that has a button: its name, and its label. */
export const PROVIDERS = [
  ['google', 'Google'],
  ['github', 'GitHub'],
] as const

const BUTTONS = PROVIDERS.map(([name, label]) =>
  formOf(`Mit ${label} anmelden`, [], [], { action: `/sign_in/${name}` }),
).join('')

/** Its form has an address, because the page also shows why a sign-in with a provider was refused. */
export const signInPage = (problems?: ReadonlyArray<Problem>): string =>
  page('Anmelden', formOf('Anmelden', SIGN_IN, problems, { action: '/sign_in' }) + BUTTONS)

/** `problems` is empty after a successful change. */
export const passwordPage = (email: string, problems?: ReadonlyArray<Problem>): string =>
  page(
    `Konto ${escaped(email)}`,
    `<p role="status">${problems?.length === 0 ? 'Das Passwort ist geändert.' : ''}</p>
    ${formOf('Passwort ändern', PASSWORD_CHANGE, problems)}`,
  )

export const SORRY = page('Bitte später noch einmal', '<p>Der Dienst antwortet gerade nicht.</p>')
