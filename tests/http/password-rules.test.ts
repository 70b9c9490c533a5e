import { expect } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { PasswordRule } from '../../application/ports/password-rule.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http-client.ts'
import { GOOD, startNistService } from '../support/nist-service.ts'
import { succeed } from '../support/outcome.ts'
import { BROKEN_RULES, ruleAgainst, UNAVAILABLE_RULE } from '../support/password-rules.ts'
import type { RunningService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

const withRules = (
  rules: ReadonlyArray<PasswordRule>,
  use: (running: RunningService) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
) =>
  withService(
    environment,
    use,
    provide(Dependency.passwordRules, () => rules),
  )

const changing = async ({ send, userToken, user }: RunningService) => {
  const token = await userToken()
  return (newPassword: string, fields: object = {}): Promise<Answer> =>
    send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token,
      body: {
        old_password: user.password,
        new_password: newPassword,
        new_password_check: newPassword,
        ...fields,
      },
    })
}

const register = async ({ send, applicationToken }: RunningService, email: string, password: string) =>
  send({
    method: 'POST',
    path: '/api/v1/users',
    token: await applicationToken(),
    body: { email, password },
  })

const RULES = [ruleAgainst('shop'), ruleAgainst('tea')]
const error = (code: number, param: string, end: string) => ({ code, message: `${param} ${end}`, param })

const expectRefused = ({ status, body }: Answer, ...errors: ReadonlyArray<object>) => {
  expect({ status, errors: body.errors }).to.deep.equal({ status: 422, errors })
}

/** The same rule for one password. It accepts all others. */
const onlyFor = (one: string, { name, refusal, refuses }: PasswordRule): PasswordRule => ({
  name,
  refusal,
  refuses: (password, user) => (password === one ? refuses(password, user) : TE.right(false)),
})

describe('a service with password rules', () => {
  it('refuses with the code of rules, with PASSWORD_POLICY=contract', () =>
    withRules(RULES, async (running) => {
      const change = await changing(running)
      expectRefused(await change('tea'), error(6, 'new_password', 'contains the word tea.'))
      const registered = await register(running, 'eve@example.com', 'in the shop')
      expectRefused(registered, error(5, 'password', 'contains the word shop.'))
      const { store } = running.service
      expect(await succeed(store.findUserByEmail('eve@example.com'))).to.have.property('_tag', 'None')
      expect((await change('x')).status).to.equal(200)
    }))

  it('refuses with this code what the policy accepts, with PASSWORD_POLICY=nist', async () => {
    const rules = provide(Dependency.passwordRules, () => RULES)
    const { change, register, stop } = await startNistService({}, undefined, rules)
    const tea = 'nine purple otters in a tea house'
    expectRefused(await change(tea), error(6, 'new_password', 'contains the word tea.'))
    expectRefused(await register('eve@example.com', tea), error(5, 'password', 'contains the word tea.'))
    expectRefused(await change('tea'), error(7, 'new_password', 'has fewer than 15 characters.'))
    expect((await change(GOOD)).status).to.equal(200)
    await stop()
  })

  it('reports a refusal beside the other problems, and notes its code', () =>
    withRules(RULES, async (running) => {
      const change = await changing(running)
      const answer = await change('tea', { old_password: 'wrong', new_password_check: 'other' })
      expect(answer.body.errors.map(({ code }: { code: number }) => code)).to.deep.equal([4, 5, 6])
      const { store } = running.service
      const noted = await eventually('the refusal is noted', async () =>
        (await succeed(store.readEvents({ after: 0, limit: 100 }))).find(
          ({ type }) => type === 'PasswordChangeRefused',
        ),
      )
      expect(noted.data).to.deep.equal({ codes: [4, 5, 6] })
    }))

  it('has the refusals in its OpenAPI document, and no code 6 without rules', () =>
    withRules(RULES, async ({ service, send }) => {
      const { body } = await send({ method: 'GET', path: '/openapi.json' })
      const text = JSON.stringify(body)
      expect(text).to.include('- 6, `new_password`: new_password contains the word tea.')
      expect(text).to.include('- 5, `password`: password contains the word shop.')
      expect(text, 'the policy of the contract').not.to.include('has fewer than')
      expect(JSON.parse(service.openApi())).to.deep.equal(body)
      await withService({}, async (plain) => {
        expect(plain.service.openApi()).not.to.include('- 6, `new_password`')
      })
    }))

  for (const [what, rule] of Object.entries({ 'is unavailable': UNAVAILABLE_RULE, ...BROKEN_RULES }))
    it(`answers 503 and changes nothing if a rule ${what}`, () =>
      withRules([onlyFor('new', rule)], async (running) => {
        const { send, userToken, service, user } = running
        const change = await changing(running)
        const before = await succeed(service.store.findUserByEmail(user.email))
        for (const answer of [await change('new'), await register(running, 'eve@example.com', 'new')]) {
          expect(answer.status).to.equal(503)
          expect(answer.headers).to.have.property('retry-after')
          expect(answer.body).to.include({
            message: 'The server cannot check passwords now.',
            outcome: 'none',
          })
        }
        expect(await succeed(service.store.findUserByEmail(user.email))).to.deep.equal(before)
        const token = await userToken() // signing in asks no rule
        expect((await send({ method: 'GET', path: '/api/v1/profile', token })).status).to.equal(200)
      }))

  it('counts changes without an old password, because a rule may be expensive', () =>
    withRules(
      RULES,
      async (running) => {
        const change = await changing(running)
        const statuses = []
        for (let sent = 0; sent < 3; sent += 1)
          statuses.push((await change('tea', { old_password: '' })).status)
        expect(statuses).to.deep.equal([422, 422, 429])
      },
      { THROTTLE_ACCOUNT_FAILURES: '2' },
    ))
})
