import { expect } from 'chai'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const SIGN_IN = '/api/v1/auth/user/token'
const CHANGE = '/api/v1/profile/change_password'
const ISSUE = '/api/v1/auth/application/token'
const PROFILE = '/api/v1/profile'
const EMAIL = 'ada@example.com'

type Token = 'none' | 'forged' | 'application' | 'user'
type Body = Readonly<{ what: string; text: string; type: string }>

const LARGE: Body = { what: 'a body too large', text: '{'.repeat(16 * 1024 + 1), type: 'application/json' }
const TEXT: Body = { what: 'a malformed body', text: '{', type: 'application/json' }
const fields = (of: object): Body => ({
  what: JSON.stringify(of),
  text: JSON.stringify(of),
  type: 'application/json',
})
const ALL = fields({ email: EMAIL, password: 'x' })
const ALL_TO_CHANGE = fields({ old_password: 'x', new_password: 'y', new_password_check: 'y' })
const KEYS = fields({ public_api_key: 'pk_x', private_api_key: 'sk_x' })

type Rule = readonly [method: string, path: string, token: Token, body: Body, status: number]

/** The account and the session have reached the failure limit. */
const ACCOUNT_RULES: ReadonlyArray<Rule> = [
  ['POST', '/api/v1/nothing', 'application', ALL, 404],
  ['PUT', SIGN_IN, 'application', ALL, 405],
  ['POST', SIGN_IN, 'none', ALL, 401],
  ['POST', SIGN_IN, 'user', ALL, 403],
  ['POST', SIGN_IN, 'application', LARGE, 413],
  ['POST', SIGN_IN, 'application', TEXT, 400],
  ['POST', SIGN_IN, 'application', fields({}), 422],
  ['POST', SIGN_IN, 'application', fields({ email: EMAIL }), 422],
  ['POST', SIGN_IN, 'application', fields({ password: 'x' }), 422],
  ['POST', SIGN_IN, 'application', fields({ email: 'ada', password: 'x' }), 422],
  ['POST', SIGN_IN, 'application', fields({ email: `${EMAIL}.`, password: 'x' }), 422],
  ['POST', SIGN_IN, 'application', ALL, 429],
  ['PUT', CHANGE, 'user', ALL_TO_CHANGE, 405],
  ['POST', CHANGE, 'none', ALL_TO_CHANGE, 401],
  ['POST', CHANGE, 'application', ALL_TO_CHANGE, 403],
  ['POST', CHANGE, 'user', LARGE, 413],
  ['POST', CHANGE, 'user', TEXT, 400],
  ['POST', CHANGE, 'user', fields({}), 422],
  ['POST', CHANGE, 'user', fields({ new_password: 'y', new_password_check: 'z' }), 422],
  ['POST', CHANGE, 'user', fields({ old_password: 'x' }), 429],
  ['POST', CHANGE, 'user', fields({ old_password: 'x', new_password: 'y', new_password_check: 'z' }), 429],
  ['POST', CHANGE, 'user', ALL_TO_CHANGE, 429],
  ['GET', PROFILE, 'user', TEXT, 200],
]

/** The address has reached the limit for keys and tokens. */
const ADDRESS_RULES: ReadonlyArray<Rule> = [
  ['POST', '/api/v1/nothing', 'forged', ALL, 404],
  ['PUT', ISSUE, 'none', KEYS, 405],
  ['POST', ISSUE, 'none', LARGE, 413],
  ['POST', ISSUE, 'none', TEXT, 400],
  ['POST', ISSUE, 'none', fields({}), 422],
  ['POST', ISSUE, 'none', fields({ private_api_key: 'sk_x' }), 422],
  ['POST', ISSUE, 'none', KEYS, 429],
  ['POST', SIGN_IN, 'none', LARGE, 401],
  ['POST', SIGN_IN, 'user', LARGE, 403],
  ['POST', SIGN_IN, 'application', LARGE, 413],
  ['POST', SIGN_IN, 'forged', LARGE, 429],
  ['POST', SIGN_IN, 'forged', fields({}), 429],
  ['POST', CHANGE, 'none', ALL_TO_CHANGE, 401],
  ['POST', CHANGE, 'application', ALL_TO_CHANGE, 403],
  ['POST', CHANGE, 'forged', ALL_TO_CHANGE, 429],
  ['GET', PROFILE, 'none', TEXT, 401],
  ['GET', PROFILE, 'user', TEXT, 200],
  ['GET', '/healthz', 'forged', TEXT, 200],
  ['GET', '/.well-known/jwks.json', 'forged', TEXT, 200],
]

/** @param fail brings the failures to their limit. */
const checksInOrder = (
  rules: ReadonlyArray<Rule>,
  fail: (running: ThrottledService, user: string) => Promise<unknown>,
) => {
  let running: ThrottledService
  let tokens: Readonly<Record<Token, string | undefined>>
  before(async () => {
    running = await startThrottled()
    const [application, user] = [await running.applicationToken(), await running.userToken()]
    tokens = { none: undefined, forged: 'forged', application, user }
    await fail(running, user)
  })
  after(() => running.stop())

  for (const [method, path, token, { what, text, type }, status] of rules) {
    it(`${method} ${path}, token: ${token}, ${what} is ${status}`, async () => {
      const bearer = tokens[token]
      const answer = await running.send({
        method,
        path,
        body: text,
        headers: { 'content-type': type },
        ...(bearer === undefined ? {} : { token: bearer }),
      })
      expect(answer.status).to.equal(status)
      if (status !== 429) expect(answer.headers).to.not.have.property('retry-after')
      if (status === 429) expect(answer.body).to.not.have.property('errors')
    })
  }
}

describe('the order of checks after too many failures on the account and in the session', () => {
  checksInOrder(ACCOUNT_RULES, (running, user) => running.failToChange(3, user))
})

describe('the order of checks after too many failures from the address', () => {
  checksInOrder(ADDRESS_RULES, async (running) => {
    for (let time = 1; time <= 3; time += 1)
      await running.send({ method: 'GET', path: PROFILE, token: 'forged' })
  })
})
