import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { CONTEXT } from '../support/request-context.ts'
import { sessionOf, sessionsAt } from '../support/sessions.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

const SIGN_IN = { method: 'POST', path: '/api/v1/auth/user/token', body: {} }

if (postgres !== undefined) {
  const server = postgres

  describe('sessions at two instances on one PostgreSQL', () => {
    let both: TwoInstances
    let [one, other]: ReadonlyArray<ReturnType<typeof sessionsAt>> = []
    beforeEach(async () => {
      both = await startTwoInstances(await server.newDatabase())
      one = sessionsAt(both.one)
      other = sessionsAt(both.other)
    })
    afterEach(() => both.stop())

    const at = () => {
      if (one === undefined || other === undefined) throw new Error('they are there only in a test')
      return { one, other }
    }
    const tokens = (count: number) => Promise.all(Array.from({ length: count }, () => both.one.userToken()))

    it('are listed alike at both', async () => {
      const [here = '', there = ''] = await tokens(2)
      const listed = await at().one.list(here)
      expect(listed).to.have.lengthOf(2)
      expect(await at().other.list(here)).to.deep.equal(listed)
      expect((await at().other.list(there)).map(({ current }) => current)).to.deep.equal(
        listed.map(({ current }) => !current),
      )
    })

    it('end at both when one of them is ended at one', async () => {
      const [here = '', there = ''] = await tokens(2)
      expect(await at().other.status(there)).to.equal(200)
      const session_id = await sessionOf(both.one, there)
      expect((await at().one.end(here, { session_id })).status).to.equal(200)
      expect(await at().other.status(there)).to.equal(401)
      expect(await at().other.list(here)).to.have.lengthOf(1)
      expect((await at().other.end(here, { session_id })).status).to.equal(422)
    })

    it('end at both when all others are ended at one', async () => {
      const [here = '', ...others] = await tokens(3)
      expect(await Promise.all(others.map(at().other.status))).to.deep.equal([200, 200])
      expect((await at().one.endOthers(here)).status).to.equal(200)
      expect(await Promise.all([here, ...others].map(at().other.status))).to.deep.equal([200, 401, 401])
    })

    it('that end each other concurrently leave exactly one, whichever instance they use', async () => {
      const all = await tokens(20)
      const answers = await Promise.all(
        all.map((token, index) => (index % 2 === 0 ? at().one : at().other).endOthers(token)),
      )
      const statuses = answers.map(({ status }) => status)
      expect([...statuses].sort()).to.deep.equal([200, ...Array(19).fill(401)])
      expect(await Promise.all(all.map(at().other.status))).to.deep.equal(statuses)
    })

    it('and application tokens end at both when they are revoked at one', async () => {
      const [session = ''] = await tokens(1)
      const application = await both.one.applicationToken()
      const id = both.one.keys.public_api_key.slice('pk_'.length)
      const statusAtOther = async () => (await both.other.send({ ...SIGN_IN, token: application })).status
      expect([await statusAtOther(), await at().other.status(session)]).to.deep.equal([422, 200])
      for (const token of [application, session])
        await succeed(both.one.service.revokeToken(CONTEXT, id, token))
      expect([await statusAtOther(), await at().other.status(session)]).to.deep.equal([401, 401])
      expect(await succeed(both.other.service.introspect(application))).to.deep.equal({ active: false })
    })
  })
}
