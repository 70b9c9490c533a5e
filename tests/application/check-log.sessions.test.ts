import { expect } from 'chai'
import { check, eventfulWorld } from './eventful-world.ts'
import { recordsOf, tampered } from './histories.ts'

describe('checkLog, given a session that is alive', () => {
  it('when its expiry is changed without a log entry, then it is reported', async () => {
    const world = await eventfulWorld()
    const [{ id, version } = { id: '', version: 0 }] = (await recordsOf(world.store)).sessions
    const store = tampered(world.store, 'sessions', (rows) =>
      rows.map((row) => (row.id === id ? { ...row, expiresAtSeconds: 1 } : row)),
    )
    expect(await check(world, store)).to.deep.equal([
      `sessions ${id} (version ${version}): expires_at differs from the log`,
    ])
  })
})
