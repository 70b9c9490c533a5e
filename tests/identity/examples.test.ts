import { expect } from 'chai'
import { EXAMPLE } from '../../adapters/http/operation/example-values.ts'
import { type Case, casesOf } from '../openapi/example-cases.ts'
import { factorDesk } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import type { Person } from '../testkit/identity-provider/memory-identity-provider.ts'
import { type IdentityDesk, LINK, START, startIdentityDesk } from './identity-desk.ts'

/** Members that are new each time. The schema checks their shape. */
const VARIES = ['id', 'user_id', 'token', 'url', 'transaction']

onMemory('each example of the operations on identities', (stores) => {
  let desk: IdentityDesk
  let shop: string
  let cases: ReadonlyArray<Case>
  const linked = { id: 1, email: EXAMPLE.email }
  const withFactor = { id: 2, email: EXAMPLE.emailWithFactor }
  before(async () => {
    desk = await startIdentityDesk(stores)
    shop = await desk.another('users:sign_in users:register', [EXAMPLE.identityRedirectUri])
    cases = casesOf(desk.running.service.openApi()).filter(({ operation }) =>
      /identity/i.test(operation.operationId ?? ''),
    )
    await signIn(linked)
    const { body } = await signIn(withFactor)
    await factorDesk(desk.running, () => desk.time.now).enrol(body.token)
  })
  after(() => desk.stop())

  const start = (path: string, token: string) =>
    desk.post(path, token, { provider: 'google', redirect_uri: EXAMPLE.identityRedirectUri })
  const signIn = async (person: Person) => {
    const { body } = await start(START, shop)
    const answer = desk.google.signIn(body.url, person)
    return desk.post(`${START}/complete`, shop, { transaction: body.transaction, answer })
  }

  /** What stands in an example, and what is sent for it. */
  const valuesFor = async (path: string, token: string): Promise<ReadonlyMap<unknown, string>> => {
    const isLink = path === `${LINK}/complete`
    const { body } = await (isLink ? start(LINK, token) : start(START, shop))
    return new Map([
      [EXAMPLE.identityTransaction, body.transaction],
      [EXAMPLE.identityAnswer, desk.google.signIn(body.url, isLink ? { id: 3 } : linked)],
      [EXAMPLE.identityAnswerOfFactor, desk.google.signIn(body.url, withFactor)],
      [EXAMPLE.wrongIdentityAnswer, desk.google.refuse(body.url, 'access_denied')],
    ])
  }

  const asInExample = (example: unknown, actual: unknown, name = ''): unknown => {
    if (VARIES.includes(name)) return typeof actual === typeof example ? example : actual
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return actual
    return Object.fromEntries(
      Object.entries(actual).map(([key, value]) => [key, asInExample(Object(example)[key], value, key)]),
    )
  }

  it('matches the real response', async () => {
    expect(cases).to.have.lengthOf.above(10)
    for (const { name, path, fields = {}, status, answer } of cases) {
      const user = await desk.register()
      const strong = path.startsWith('/api/v1/profile')
      const token = strong
        ? (await desk.post('/api/v1/auth/user/token', shop, { email: user.email, password: user.password }))
            .body.token
        : shop
      const values = await valuesFor(path, token)
      const sent = Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, values.get(value) ?? value]),
      )
      const given = await desk.post(path, token, sent)
      expect([given.status, asInExample(answer, given.body)], name).to.deep.equal([status, answer])
    }
  })
})
