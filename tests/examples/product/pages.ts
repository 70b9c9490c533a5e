import type { ListedUser, ListSessionsAnswer, Problem } from 'portcullis-client'
import { escaped, type Field, formOf, page } from '../front-ends/form.ts'
import { NEW_PASSWORD, PASSWORD_CHANGE, SIGN_IN } from '../front-ends/pages.ts'

type Problems = ReadonlyArray<Problem> | undefined

const PASSWORD: Field = ['password', 'Passwort', 'current-password']
const EMAIL: Field = ['email', 'E-Mail', 'username']

export const signUpPage = (problems?: Problems): string =>
  page('Registrieren', formOf('Registrieren', [EMAIL, ['password', 'Passwort', 'new-password']], problems))

export const signInPage = (problems?: Problems): string =>
  page('Anmelden', `${formOf('Anmelden', SIGN_IN, problems)}<a href="/forgotten">Passwort vergessen</a>`)

/** The second step of a sign-in. */
export const codePage = (problems?: Problems): string => {
  const fields: ReadonlyArray<Field> = [
    ['totp', 'Code der App', 'one-time-code'],
    ['recoveryCode', 'oder ein Ersatzcode', 'off'],
  ]
  return page('Zweiter Faktor', formOf('Weiter', fields, problems, { action: '/second_factor' }))
}

export const homePage = (email: string): string =>
  page(
    `Konto ${escaped(email)}`,
    `<a href="/password">Passwort ändern</a> <a href="/sessions">Anmeldungen</a> <a href="/remove">Konto löschen</a>
    ${formOf('Abmelden', [], [], { action: '/sign_out' })}`,
  )

export const changePage = (problems?: Problems): string =>
  page('Passwort ändern', formOf('Passwort ändern', PASSWORD_CHANGE, problems))

export const sessionsPage = ({ sessions }: ListSessionsAnswer): string => {
  const items = sessions.map(({ id, createdAt, applicationName, current }) => {
    const end = current ? 'diese Anmeldung' : formOf('Beenden', [], [], { hidden: { sessionId: id } })
    return `<li>${escaped(`${applicationName} ${createdAt}`)} ${end}</li>`
  })
  return page('Anmeldungen', `<ul>${items.join('')}</ul>`)
}

export const forgottenPage = (problems?: Problems): string =>
  page('Passwort vergessen', formOf('Link anfordern', [EMAIL], problems))

export const SENT = page('Passwort vergessen', '<p>Wenn es dieses Konto gibt, ist eine Mail unterwegs.</p>')

export const recoveryPage = (token: string, problems?: Problems): string =>
  page('Neues Passwort', formOf('Passwort setzen', NEW_PASSWORD, problems, { hidden: { token } }))

export const removePage = (problems?: Problems): string =>
  page('Konto löschen', formOf('Endgültig löschen', [PASSWORD], problems))

export const usersPage = (users: ReadonlyArray<ListedUser>): string =>
  page(
    'Konten',
    `<ul>${users.map(({ email, status }) => `<li>${escaped(email)}: ${status}</li>`).join('')}</ul>`,
  )
