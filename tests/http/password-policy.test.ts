import { rename } from 'node:fs/promises'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { plainEstimator } from '../support/fake-passwords.ts'
import { ADA, GOOD, type NistService, startNistService } from '../support/nist-service.ts'
import { ruleAgainst } from '../support/password-rules.ts'
import { withService } from '../support/with-service.ts'

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
