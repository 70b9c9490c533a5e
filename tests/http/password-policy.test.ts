import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http-client.ts'
import { ADA, GOOD, type NistService, startNistService } from '../support/nist-service.ts'
import { succeed } from '../support/outcome.ts'

/** A reason: its code at a change (at a registration, one less) and its words. */
type Reason = readonly [code: number, wrong: string]

const SHORT: Reason = [7, 'has fewer than 15 characters.']
const LEAKED: Reason = [8, 'is on the list of leaked passwords.']
const NAMES: Reason = [9, 'is built from the e-mail address or the name of the service.']
const COMMON: Reason = [10, 'is built from passwords or words that many people choose.']
const PATTERN: Reason = [11, 'is built from patterns that are easy to guess.']

const WEAK: ReadonlyArray<readonly [what: string, password: string, reason: Reason]> = [
  ['one character', 'x', SHORT],
  ['14 characters', 'nine purple ot', SHORT],
  ['14 pictures, of 28 UTF-16 units', '💥🐙🎺🪨🌞🦦🎻🧵🪁🧊🥁🪐🌵🛶', SHORT],
  ['8 characters that are leaked, common and a name', 'lovelace', SHORT],
  ['a leaked one', 'leaked but good otherwise', LEAKED],
  ['a leaked one made of a name', 'lovelacelovelace', LEAKED],
  ['the e-mail', 'Ada.Lovelace@Example.com', NAMES],
  ['the local part and a year', 'ada.lovelace2026', NAMES],
  ['a name in two cases, and a sign', 'LOVELACElovelace!', NAMES],
  ['a name backwards', 'ecalevol-ecalevol-1', NAMES],
  ['the service twice', 'portcullisportcullis', NAMES],
  ['the service with digits for letters', 'P0rtcull1s-P0rtcull1s!', NAMES],
  ['the host', 'login.otterworks.test', NAMES],
  ['a word of the host and a common one', 'otterworks-password', NAMES],
  ['a common password twice', 'passwordpassword', COMMON],
  ['a common password with digits', 'P@ssw0rd12345678', COMMON],
  ['days', 'monday tuesday wednesday', COMMON],
  ['one character 15 times', 'xxxxxxxxxxxxxxx', PATTERN],
  ['the alphabet', 'abcdefghijklmnop', PATTERN],
  ['one character 7500 times', 'x'.repeat(7_500), PATTERN],
]

const STRONG: ReadonlyArray<readonly [what: string, password: string]> = [
  ['words in small letters', GOOD],
  ['words of another alphabet', 'мы читаем вслух по средам'],
  ['15 random characters', '9dKq2vTz8LmXw4R'],
  ['15 pictures', '💥🐙🎺🪨🌞🦦🎻🧵🪁🧊🥁🪐🌵🛶🪵'],
  ['spaces around it', ' nine purple otters sing '],
  ['a name and enough besides', 'lovelace hums beside purple otters'],
  ['7500 characters', `${GOOD}${'x'.repeat(7_500 - GOOD.length)}`],
]

const expectErrors = ({ status, body }: Answer, ...errors: ReadonlyArray<object>): void => {
  expect(status).to.equal(422)
  const message = 'Some fields are missing or wrong; see errors.'
  expect(body).to.deep.equal({ success: false, code: 422, message, errors })
}
const atRegistration = ([code, wrong]: Reason) => ({
  code: code - 1,
  message: `password ${wrong}`,
  param: 'password',
})
const atChange = ([code, wrong]: Reason) => ({
  code,
  message: `new_password ${wrong}`,
  param: 'new_password',
})

describe('a service with PASSWORD_POLICY=nist and pages for people', () => {
  const NAMED = 'Quillfeather-quillfeather'

  for (const [ACCOUNT_PAGES, status] of [
    ['on', 422],
    ['off', 201],
  ] as const)
    it(`(${ACCOUNT_PAGES}) answers a password of the product name with ${status}`, async () => {
      const running = await startNistService({
        ACCOUNT_PAGES,
        ...(ACCOUNT_PAGES === 'on' ? { PAGES_NAME: 'Quillfeather' } : {}),
      })
      try {
        const answer = await running.register('bob@example.com', NAMED)
        expect(answer.status).to.equal(status)
        if (status === 422) expectErrors(answer, atRegistration(NAMES))
      } finally {
        await running.stop()
      }
    })
})

describe('a service with PASSWORD_POLICY=nist', () => {
  let running: NistService
  before(async () => {
    running = await startNistService({}, ['leaked but good otherwise', 'lovelacelovelace', 'lovelace'])
  })
  after(() => running.stop())

  for (const [what, password, reason] of WEAK) {
    const [code, wrong] = reason
    it(`refuses to register ${what}: code ${code - 1}, the password ${wrong}`, async () => {
      expectErrors(await running.register('ada.lovelace@example.com.test', password), atRegistration(reason))
      expect(
        (await succeed(running.service.store.findUserByEmail('ada.lovelace@example.com.test')))._tag,
      ).to.equal('None')
    })

    it(`refuses to change to ${what}: code ${code}, the password ${wrong}`, async () => {
      expectErrors(await running.change(password), atChange(reason))
      expect(await running.signInStatus(ADA.email, ADA.password)).to.equal(200)
    })
  }

  for (const [index, [what, password]] of STRONG.entries()) {
    it(`accepts ${what} at registration and on change`, async () => {
      const email = `user${index}@strong.test`
      expect((await running.register(email, password)).status).to.equal(201)
      expect(await running.signInStatus(email, password)).to.equal(200)
      expect((await running.change(password)).status).to.equal(200)
      expect((await running.change(ADA.password, { old_password: password })).status).to.equal(200)
    })
  }

  const EMAIL_ERRORS: ReadonlyArray<readonly [email: string | undefined, error: object]> = [
    [undefined, { code: 1, message: 'email is missing or empty.', param: 'email' }],
    ['ada', { code: 3, message: 'email is not an e-mail address.', param: 'email' }],
    ['ADA.lovelace@example.com', { code: 4, message: 'email is already registered.', param: 'email' }],
  ]
  for (const [email, error] of EMAIL_ERRORS) {
    it(`reports a weak password beside the error of ${email ?? 'a missing e-mail'}`, async () => {
      expectErrors(await running.register(email, 'passwordpassword'), error, atRegistration(COMMON))
    })
  }

  it('does not apply the policy to a missing password', async () => {
    const missing = { code: 2, message: 'password is missing or empty.', param: 'password' }
    expectErrors(await running.register('ada@example.net', ''), missing)
    expectErrors(
      await running.change('', { new_password_check: 'x' }),
      { code: 2, message: 'new_password is missing or empty.', param: 'new_password' },
      { code: 5, message: 'new_password_check differs from new_password.', param: 'new_password_check' },
    )
  })
})

// The log records ten refusals of one user a minute, so this test has its own service.
describe('a service with PASSWORD_POLICY=nist and a weak new password', () => {
  let running: NistService
  before(async () => {
    running = await startNistService({}, ['leaked but good otherwise'])
  })
  after(() => running.stop())

  const events = () => succeed(running.service.store.readEvents({ after: 0, limit: 10_000 }))

  it('returns all errors of a change in ascending order and records their codes', async () => {
    const before = await events()
    const missing = (code: number, param: string) => ({
      code,
      message: `${param} is missing or empty.`,
      param,
    })
    const differs = {
      code: 5,
      message: 'new_password_check differs from new_password.',
      param: 'new_password_check',
    }
    const wrong = { code: 4, message: 'old_password is not the current password.', param: 'old_password' }
    const three = missing(3, 'new_password_check')
    expectErrors(
      await running.change('passwordpassword', { old_password: 'x', new_password_check: 'y' }),
      wrong,
      differs,
      atChange(COMMON),
    )
    expectErrors(
      await running.change('x', { old_password: '', new_password_check: '' }),
      missing(1, 'old_password'),
      three,
      atChange(SHORT),
    )

    const noted = await eventually('both refusals are noted', async () => {
      const codes = (await events())
        .slice(before.length)
        .flatMap(({ type, data }) =>
          type === 'PasswordChangeRefused' && 'codes' in data ? [data.codes] : [],
        )
      return codes.length === 2 ? codes : undefined
    })
    expect(noted).to.deep.equal([
      [4, 5, 10],
      [1, 3, 7],
    ])
  })
})
