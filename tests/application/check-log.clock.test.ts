import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store, Table } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'
import { eventfulWorld } from './eventful-world.ts'
import { tampered } from './records.ts'
import { allEvents, CONTEXT, type World } from './world.ts'

const MINUTE = 60
const HOUR = 3600
const YEAR = 365 * 24 * HOUR

describe('checkLog, given rows that are missing before they expire', () => {
  let world: World
  beforeEach(async () => {
    world = await eventfulWorld()
  })

  /** Writes an entry so many seconds later, and returns its position. */
  const writeAfter = async (seconds: number): Promise<number> => {
    world.clock.passSeconds(seconds)
    await succeed(world.service.registerApplication(CONTEXT, { name: 'later', scope: 'events:read' }))
    return (await allEvents(world.store)).length
  }
  const causeWithout = async (...tables: ReadonlyArray<Table>) => {
    const store = tables.reduce<Store>((inner, table) => tampered(inner, table, () => []), world.store)
    const checked = await succeed(checkLog({ store, clock: world.clock.read, digests: nodeDigests }))
    return checked.earlyDeletion
  }

  it('names the first entry of a clock that was ahead, and by how much', async () => {
    const position = await writeAfter(YEAR)
    for (const seconds of [5, 10 * MINUTE - YEAR, 5]) await writeAfter(seconds)
    expect(await causeWithout('sessions', 'revoked_tokens')).to.deep.equal({
      tables: ['sessions', 'revoked_tokens'],
      clock: { position, seconds: YEAR - 10 * MINUTE },
    })
  })

  it('names it also if nothing has been written with the right time since', async () => {
    const position = await writeAfter(YEAR)
    world.clock.passSeconds(-YEAR)
    expect(await causeWithout('sessions')).to.deep.equal({
      tables: ['sessions'],
      clock: { position, seconds: YEAR },
    })
  })

  it('names the greatest of several steps back', async () => {
    const position = await writeAfter(YEAR)
    for (const seconds of [-YEAR, 2 * HOUR, -2 * HOUR]) await writeAfter(seconds)
    expect((await causeWithout('sessions'))?.clock).to.deep.equal({ position, seconds: YEAR })
  })

  it('names no clock if none was ahead', async () => {
    await writeAfter(HOUR)
    expect(await causeWithout('sessions', 'one_time_tokens')).to.deep.equal({
      tables: ['sessions', 'one_time_tokens'],
      clock: undefined,
    })
  })

  it('names no clock for differences that a time server corrects', async () => {
    await writeAfter(MINUTE)
    world.clock.passSeconds(-MINUTE)
    expect(await causeWithout('sessions')).to.deep.equal({ tables: ['sessions'], clock: undefined })
  })

  it('names no clock if a missing row expires later than it was ahead', async () => {
    await writeAfter(HOUR)
    await writeAfter(-HOUR)
    expect(await causeWithout('sessions')).to.deep.equal({ tables: ['sessions'], clock: undefined })
  })

  it('names no cause if something else is wrong, too', async () => {
    await writeAfter(YEAR)
    await writeAfter(-YEAR)
    expect(await causeWithout('sessions', 'users')).to.equal(undefined)
    expect(await causeWithout('users')).to.equal(undefined)
  })

  it('names no cause if nothing is wrong', async () => {
    await writeAfter(YEAR)
    await writeAfter(-YEAR)
    expect(await causeWithout()).to.equal(undefined)
  })
})
