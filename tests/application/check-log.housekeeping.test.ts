import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { housekeeping } from '../../application/log/housekeeping.ts'
import { EXPIRING_TABLES, type Store } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'
import { drivenBackground } from './background.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { recordsOf, tampered } from './records.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

/** Beyond the expiry of every token and session of the world. */
const FAR_SECONDS = 200 * 365 * 24 * 3600

const DAY_SECONDS = 24 * 3600

/** Lets the housekeeping of another instance walk through the store. */
const keepHouse = async ({ store, clock }: World): Promise<void> => {
  const background = drivenBackground(clock)
  const observer = { deleted: () => {}, failed: () => {} }
  housekeeping({ store, background, now: async () => right(clock.read()), observer }).start()
  await background.passSeconds(5)
}

const expiringRows = async (store: Store) => {
  const records = await recordsOf(store)
  return EXPIRING_TABLES.map((table) => [table, records[table].length] as const)
}

describe('checkLog beside housekeeping', () => {
  it('when housekeeping has deleted every expired row, then it reports nothing', async () => {
    const world = await eventfulWorld()
    for (const [table, count] of await expiringRows(world.store)) expect(count, table).to.be.above(0)
    world.clock.passSeconds(FAR_SECONDS)
    await keepHouse(world)
    for (const [table, count] of await expiringRows(world.store)) expect(count, table).to.equal(0)
    expect(await check(world, world.store)).to.deep.equal([])
  })

  it('when housekeeping runs before and after each expiry, then it reports nothing', async () => {
    const world = await eventfulWorld()
    for (const seconds of [0, 3590, 20, DAY_SECONDS - 20, 20, 43_200, DAY_SECONDS, FAR_SECONDS]) {
      world.clock.passSeconds(seconds)
      await keepHouse(world)
      expect(await check(world, world.store), `${seconds} s later`).to.deep.equal([])
    }
  })

  it('when a renewed session expires before its end, then it reports nothing, with its row or without', async () => {
    const world = await newWorld({ environment: { SESSION_TTL: `${30 * DAY_SECONDS}` } })
    const { token } = await world.signIn()
    world.clock.passSeconds(1_000)
    await succeed(world.service.renewSession(CONTEXT, world.caller, { token }))
    for (const [seconds, remaining] of [
      [43_199, 1],
      [1, 1],
      [DAY_SECONDS - 100, 1],
      [120, 0],
      [30 * DAY_SECONDS, 0],
    ] as const) {
      world.clock.passSeconds(seconds)
      expect(await check(world, world.store)).to.deep.equal([])
      await keepHouse(world)
      expect((await recordsOf(world.store)).sessions).to.have.lengthOf(remaining)
      expect(await check(world, world.store)).to.deep.equal([])
    }
  })

  it('when expired rows stay, then it reports nothing', async () => {
    const world = await eventfulWorld()
    world.clock.passSeconds(FAR_SECONDS)
    expect(await check(world, world.store)).to.deep.equal([])
  })

  it('when rows expire and are deleted after it has read the log, then it reports nothing', async () => {
    const world = await eventfulWorld()
    let isRead = false
    const listRows: Store['listRows'] = (query) => async () => {
      if (!isRead) {
        isRead = true
        world.clock.passSeconds(FAR_SECONDS)
        await keepHouse(world)
      }
      return world.store.listRows(query)()
    }
    expect(await check(world, { ...world.store, listRows })).to.deep.equal([])
    for (const table of EXPIRING_TABLES)
      expect(await succeed(world.store.listRows({ table, after: '', limit: 9 })), table).to.deep.equal([])
  })

  it('when a row is missing one second before its expiry, then it reports that', async () => {
    for (const table of EXPIRING_TABLES) {
      const world = await eventfulWorld()
      const rows = (await recordsOf(world.store))[table]
      const expiry = Math.max(...rows.map(({ expiresAtSeconds }) => expiresAtSeconds))
      const missing = rows.filter(({ expiresAtSeconds }) => expiresAtSeconds === expiry)
      const without = tampered(world.store, table, () => [])
      world.clock.passSeconds(expiry - 1 - world.clock.read() / 1000)
      expect(await check(world, without)).to.have.members(
        missing.map(({ id }) => `${table} ${id}: the row is missing`),
      )
      world.clock.passSeconds(1)
      expect(await check(world, without)).to.deep.equal([])
    }
  })
})
