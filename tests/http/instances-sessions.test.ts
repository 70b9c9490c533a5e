import { expect } from 'chai'
import { postgres } from '../support/postgres.ts'
import { sessionsAt } from '../support/sessions.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

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

    it('that end each other concurrently leave exactly one, whichever instance they use', async () => {
      const all = await tokens(20)
      const answers = await Promise.all(
        all.map((token, index) => (index % 2 === 0 ? at().one : at().other).endOthers(token)),
      )
      const statuses = answers.map(({ status }) => status)
      expect([...statuses].sort()).to.deep.equal([200, ...Array(19).fill(401)])
      expect(await Promise.all(all.map(at().other.status))).to.deep.equal(statuses)
    })
  })
}
