import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { NEW_PASSWORD_CODES } from '../../domain/new-password.ts'
import { PASSWORD_CHECKS } from '../../domain/password-policy.ts'
import { REGISTRATION_CODES } from '../../domain/registration.ts'

const REASONS = [
  ['PasswordRule', undefined],
  ['PasswordTooShort', undefined],
  ['PasswordLeaked', 'leaked'],
  ['PasswordFromNames', 'names'],
  ['PasswordCommon', 'common'],
  ['PasswordGuessable', 'guessable'],
] as const

/** The rows of the table that begins with these cells. */
const rowsOf = (page: string, head: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, table = ''] = readFileSync(page, 'utf8').split(`${head}\n`)
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(1)
  return rows.map((row) =>
    row
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()),
  )
}

describe('the codes of refused passwords', () => {
  it('are those of the code in docs/password-policy.md, with the names of the checks', () => {
    const head = '| reason | in `checks` | on `new_password` | on `password` at registration |'
    expect(rowsOf('docs/password-policy.md', head)).to.deep.equal(
      REASONS.map(([reason, check]) => [
        check === undefined ? '' : `\`${check}\``,
        `${NEW_PASSWORD_CODES[reason]}`,
        `${REGISTRATION_CODES[reason]}`,
      ]),
    )
    expect(REASONS.flatMap(([, check]) => check ?? [])).to.deep.equal([...PASSWORD_CHECKS])
  })
})
