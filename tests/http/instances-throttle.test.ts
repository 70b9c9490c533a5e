import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { postgres } from '../support/postgres.ts'
import { BEGINNING, statusesOf } from '../support/throttled-service.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

const LIMIT = 3
const AT_ONCE = 40

if (postgres !== undefined) {
  const server = postgres

  describe('failures at two instances on one PostgreSQL', () => {
    const now = BEGINNING
    let both: TwoInstances
    let token: string
    beforeEach(async () => {
      const limits = { THROTTLE_ACCOUNT_FAILURES: `${LIMIT}`, THROTTLE_ADDRESS_FAILURES: `${LIMIT}` }
      both = await startTwoInstances(
        await server.newDatabase(),
        limits,
        provide(Dependency.clock, () => () => now),
      )
      token = await both.one.applicationToken()
    })
    afterEach(() => both.stop())

    /** Alternates between the instances. */
    const at = (index: number) => (index % 2 === 0 ? both.one : both.other)
    const signIn = (index: number, password = 'wrong', email = both.one.user.email) =>
      at(index).send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token,
        body: { email, password },
      })
    const change = (index: number, of: string, old_password = 'wrong') =>
      at(index).send({
        method: 'POST',
        path: '/api/v1/profile/change_password',
        token: of,
        body: { old_password, new_password: 'new', new_password_check: 'new' },
      })

    it('of one end user’s address are counted together, and valid sign-ins are not', async () => {
      const from = (index: number, email: string, password = 'wrong') =>
        at(index).send({
          method: 'POST',
          path: '/api/v1/auth/user/token',
          token,
          body: { email, password },
          headers: { 'x-end-user-address': '192.0.2.1' },
        })
      const { email, password } = both.one.user
      expect(await statusesOf(4, (index) => from(index, email, password))).to.deep.equal([200, 200, 200, 200])
      const guess = (index: number) => from(index, `stranger-${index}@example.com`)
      expect(await statusesOf(LIMIT, guess)).to.deep.equal([422, 422, 422])
      expect(await statusesOf(2, (index) => from(index, email, password))).to.deep.equal([429, 429])
    })

    for (const [whose, email] of [
      ['an account', 'Ada@Example.com'],
      ['an unknown account', 'nobody@example.com'],
    ] as const) {
      it(`never exceed ${LIMIT} for concurrent guesses at the password of ${whose}`, async () => {
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => signIn(index, `guess ${index}`, email)),
        )
        const statuses = answers.map(({ status }) => status)
        expect(statuses.filter((status) => status === 422)).to.have.lengthOf(LIMIT)
        expect(statuses.filter((status) => status === 429)).to.have.lengthOf(AT_ONCE - LIMIT)
      })
    }

    it('never exceed the limit for concurrent wrong old passwords in one session', async () => {
      const session = await both.one.userToken()
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => change(index, session)))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 422)).to.have.lengthOf(LIMIT)
      expect(statuses.filter((status) => status === 429)).to.have.lengthOf(AT_ONCE - LIMIT)
    })
  })
}
