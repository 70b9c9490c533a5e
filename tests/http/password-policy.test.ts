import { rename } from 'node:fs/promises'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import type { Answer } from '../support/http-client.ts'
import { ADA, GOOD, type NistService, startNistService } from '../support/nist-service.ts'
import { succeed } from '../support/outcome.ts'
import { ruleAgainst } from '../support/password-rules.ts'
import { CONTEXT } from '../support/request-context.ts'
import { withService } from '../support/with-service.ts'

const LEAKED = 'one that is on the list'

const expectErrors = ({ status, body }: Answer, ...errors: ReadonlyArray<object>): void => {
  expect(status).to.equal(422)
  const message = 'Some fields are missing or wrong; see errors.'
  expect(body).to.deep.equal({ success: false, code: 422, message, errors })
}
const of = (param: string, code: number, words: string) => ({ code, message: `${param} ${words}`, param })

/** A password for each reason, with its code at a registration and on the routes that set a new password. */
const REASONS: ReadonlyArray<
  readonly [what: string, password: string, registration: number, other: number, words: string]
> = [
  ['refused by a rule', 'trombone in a tea house', 5, 6, 'contains the word tea.'],
  ['too short', 'tea', 6, 7, 'has fewer than 15 characters.'],
  ['leaked', LEAKED, 7, 8, 'is on the list of leaked passwords.'],
  [
    'built from names',
    'portcullisportcullis',
    8,
    9,
    'is built from the e-mail address or the name of the service.',
  ],
  ['common', 'the password the password', 9, 10, 'is built from passwords or words that many people choose.'],
  ['guessable', 'x'.repeat(20), 10, 11, 'is built from patterns that are easy to guess.'],
]

describe('the code of a refused password', () => {
  let running: NistService
  let recover: (newPassword: string) => Promise<Answer>
  before(async () => {
    running = await startNistService(
      {},
      undefined,
      provide(Dependency.leakedPasswords, () => leakedAre(LEAKED)),
      provide(Dependency.passwordEstimator, () => plainEstimator),
      provide(Dependency.passwordRules, () => [ruleAgainst('shop'), ruleAgainst('tea')]),
    )
    const { service, send } = running
    const desk = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope: 'users:recover' }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, desk))
    const path = '/api/v1/users/recovery'
    const started = await send({ method: 'POST', path, token, body: { email: ADA.email } })
    recover = (newPassword) => {
      const body = {
        token: started.body.token,
        new_password: newPassword,
        new_password_check: newPassword,
      }
      return send({ method: 'POST', path: `${path}/complete`, body })
    }
  })
  after(() => running.stop())

  for (const [what, password, registration, other, words] of REASONS)
    it(`that is ${what}: ${registration} at a registration, ${other} on a change and a recovery`, async () => {
      expectErrors(await running.register('eve@example.com', password), of('password', registration, words))
      for (const answer of [await running.change(password), await recover(password)])
        expectErrors(answer, of('new_password', other, words))
    })

  it('stands behind the codes of other fields', async () => {
    const fields = { old_password: 'wrong', new_password_check: 'other' }
    const { body } = await running.change('x'.repeat(20), fields)
    expect(body.errors.map(({ code }: { code: number }) => code)).to.deep.equal([4, 5, 11])
  })
})

describe('a service with PASSWORD_POLICY=nist, a list of leaked passwords, and pages for people', () => {
  const { log, lines } = capturedLog()
  let running: NistService
  before(async () => {
    running = await startNistService(
      { PASSWORD_MIN_LENGTH: '16', ACCOUNT_PAGES: 'on', PAGES_NAME: 'Quillfeather' },
      ['leaked but good otherwise'],
      provide(Dependency.log, () => log),
    )
  })
  after(() => running.stop())

  for (const [what, password, code, words] of [
    ['15 characters', 'nine purple ott', 6, 'password has fewer than 16 characters.'],
    ['one that is on the list', 'leaked but good otherwise', 7, undefined],
    ['the e-mail', 'Eve.Lovelace@Example.com', 8, undefined],
    ['the host', 'login.otterworks.test', 8, undefined],
    ['the name of the product', 'Quillfeather-quillfeather', 8, undefined],
    ['a common password twice', 'passwordpassword', 9, undefined],
    ['a pattern', 'abcdefghijklmnop', 10, undefined],
  ] as const) {
    it(`refuses ${what} with code ${code}`, async () => {
      const { status, body } = await running.register('eve.lovelace@example.com', password)
      expect([status, body.errors.map((error: { code: number }) => error.code)]).to.deep.equal([422, [code]])
      if (words !== undefined) expect(body.errors[0].message).to.equal(words)
    })
  }

  it('accepts other passwords of any characters, as they are', async () => {
    const strong = [
      ' мы читаем вслух по средам ',
      '💥🐙🎺🪨🌞🦦🎻🧵🪁🧊🥁🪐🌵🛶🪵🎈',
      `${GOOD}${'x'.repeat(7_000)}`,
    ]
    for (const [index, password] of strong.entries()) {
      const email = `user${index}@strong.test`
      expect((await running.register(email, password)).status).to.equal(201)
      expect(await running.signInStatus(email, password)).to.equal(200)
    }
  })

  it('returns 503 while its list cannot be read, logs the cause, and no secret', async () => {
    const { list, register, change } = running
    await rename(list, `${list}.aside`)
    for (const answer of [await register('a@b.test', GOOD), await change(GOOD)]) {
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '5'])
      const message = 'The server cannot check passwords now.'
      expect(answer.body).to.deep.equal({ success: false, code: 503, message, outcome: 'none' })
    }
    const causes = lines.map((line) => JSON.parse(line).cause).filter((cause) => cause !== undefined)
    expect(causes).to.deep.equal(Array(2).fill('the list of leaked passwords cannot be read: ENOENT'))
    for (const secret of [GOOD, ADA.password, ADA.email]) expect(lines.join()).not.to.include(secret)
    await rename(`${list}.aside`, list)
    expect((await register('a@b.test', GOOD)).status).to.equal(201)
  })

  it('closes the estimator when it stops', async () => {
    let closed = 0
    const close = async () => {
      closed += 1
    }
    const counting = provide(Dependency.passwordEstimator, () => ({ ...plainEstimator, close }))
    await (await startNistService({}, undefined, counting)).stop()
    expect(closed).to.equal(1)
  })
})

describe('a service with password rules', () => {
  it('has the refusals in its OpenAPI document, and no code 6 without rules', () =>
    withService(
      {},
      async ({ service, send }) => {
        const { body } = await send({ method: 'GET', path: '/openapi.json' })
        const text = JSON.stringify(body)
        expect(text).to.include('- 6, `new_password`: new_password contains the word tea.')
        expect(text).to.include('- 5, `password`: password contains the word shop.')
        expect(text, 'the policy of the contract').not.to.include('has fewer than')
        expect(JSON.parse(service.openApi())).to.deep.equal(body)
        await withService({}, async (plain) => {
          expect(plain.service.openApi()).not.to.include('- 6, `new_password`')
        })
      },
      provide(Dependency.passwordRules, () => [ruleAgainst('shop'), ruleAgainst('tea')]),
    ))
})
