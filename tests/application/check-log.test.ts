import { expect } from 'chai'
import * as fc from 'fast-check'
import { left } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { anApplication } from '../testkit/builders.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { histories, play } from './histories.ts'
import { recordsOf, tampered } from './records.ts'
import { allEvents, CONTEXT, NOW, type World } from './world.ts'

describe('checkLog, given rows and a log that were not changed', () => {
  it('when everything has happened once, then it reports no difference, and the number of entries and rows', async () => {
    const world = await eventfulWorld()
    const records = await recordsOf(world.store)
    expect(
      await succeed(checkLog({ store: world.store, clock: world.clock.read, digests: nodeDigests })),
    ).to.deep.equal({
      entries: (await allEvents(world.store)).length,
      rows: Object.values(records).flat().length,
      disagreements: [],
    })
  })

  it('when nothing has happened, then it reports no difference', async () => {
    const result = checkLog({ store: memoryStore(), clock: settableClock(NOW).read, digests: nodeDigests })
    expect(await succeed(result)).to.deep.equal({ entries: 0, rows: 0, disagreements: [] })
  })

  it('when anything has happened in any order, then it reports no difference at any later time', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(0, 45, 1e6), async (history, later) => {
        const store = memoryStore()
        const clock = settableClock(NOW)
        await play(store, clock, history)
        clock.passSeconds(later)
        const { entries, disagreements } = await succeed(
          checkLog({ store, clock: clock.read, digests: nodeDigests }),
        )
        expect(disagreements).to.deep.equal([])
        expect(entries).to.equal((await allEvents(store)).length)
      }),
      { numRuns: 150 },
    )
  })

  it('when there is more than a page of everything, then all of it is checked', async () => {
    const { store, clock } = await storeOfManyApplications()
    const all = { entries: 1_002, rows: 1_002, disagreements: [] }
    expect(await succeed(checkLog({ store, clock: clock.read, digests: nodeDigests }))).to.deep.equal(all)
    const last = (await recordsOf(store)).applications.at(-1)
    const one = tampered(store, 'applications', (rows) =>
      rows.map((row) => (row.id === last?.id ? { ...row, revoked: true } : row)),
    )
    expect(
      (await succeed(checkLog({ store: one, clock: clock.read, digests: nodeDigests }))).disagreements,
    ).to.have.lengthOf(1)
  })
})

/** More than a page of log entries, and of applications. */
const storeOfManyApplications = async () => {
  const store = memoryStore()
  const clock = settableClock(NOW)
  const record = recorder({ store, clock: clock.read, random: countingRandom(), digests: nodeDigests })
  const application = () => ({ _tag: 'ApplicationRegistered', application: anApplication() }) as const
  const many = Array.from({ length: 1_001 }, application)
  await succeed(record([application(), ...many], OPERATOR, CONTEXT))
  return { store, clock }
}

describe('checkLog, given a listener', () => {
  it('when there is more than a page, then it reports the progress of the log and of each table', async () => {
    const { store, clock } = await storeOfManyApplications()
    const heard: Array<string> = []
    const checking = checkLog({ store, clock: clock.read, digests: nodeDigests })
    await succeed(() => checking(({ of, done, total }) => heard.push(`${of} ${done}/${total}`)))
    expect(heard).to.deep.equal([
      ...['log 0/1002', 'log 500/1002', 'log 1000/1002', 'log 1002/1002'],
      ...['users 0/0', 'users 0/0', 'sessions 0/0', 'sessions 0/0'],
      ...['applications 0/1002', 'applications 500/1002', 'applications 1000/1002', 'applications 1002/1002'],
      ...['keys 0/0', 'keys 0/0'],
      ...['revoked_tokens 0/0', 'revoked_tokens 0/0', 'one_time_tokens 0/0', 'one_time_tokens 0/0'],
      ...['factors 0/0', 'factors 0/0'],
    ])
  })
})

describe('checkLog, given a live service', () => {
  /** Runs `happens` before each read of rows. */
  const busy = (store: Store, happens: () => Promise<unknown>): Store => ({
    ...store,
    listRows: (query) => async () => {
      await happens()
      return store.listRows(query)()
    },
  })

  const HAPPENING: ReadonlyArray<readonly [name: string, happens: (world: World) => Promise<unknown>]> = [
    [
      'a session is renewed',
      async (world) => {
        const { token } = await world.signIn('set')
        await succeed(world.service.renewSession(CONTEXT, world.caller, { token }))
      },
    ],
    [
      'a user is disabled and enabled',
      async ({ service, ada }) => {
        await succeed(service.disableUser(CONTEXT, ada.email))
        await succeed(service.enableUser(CONTEXT, ada.email))
      },
    ],
    [
      'keys are rotated',
      ({ service }) => succeed(service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true })),
    ],
  ]
  for (const [name, happens] of HAPPENING) {
    it(`when ${name} before the rows are read once, then rows ahead of the log are no difference`, async () => {
      const world = await eventfulWorld()
      let happened = 0
      const store = busy(world.store, async () => {
        happened += 1
        if (happened === 1) await happens(world)
      })
      expect(await check(world, store)).to.deep.equal([])
    })

    it(`when ${name} each time, then it still reports no difference`, async () => {
      const world = await eventfulWorld()
      expect(
        await check(
          world,
          busy(world.store, () => happens(world)),
        ),
      ).to.deep.equal([])
    })
  }

  it('when one row was changed without a log entry, then only that is reported', async () => {
    const world = await eventfulWorld()
    const bob = (await recordsOf(world.store)).users.find(({ status }) => status === 'disabled')
    const store = busy(
      tampered(world.store, 'users', (rows) =>
        rows.map((row) => (row.id === bob?.id ? { ...row, status: 'enabled' } : row)),
      ),
      () => world.signIn('set'),
    )
    expect(await check(world, store)).to.deep.equal([
      `users ${bob?.id} (version 2): status differs from the log`,
    ])
  })
})

describe('checkLog, given sessions that have expired', () => {
  let world: World
  beforeEach(async () => {
    world = await eventfulWorld()
    world.clock.passSeconds(43_200)
  })

  it('when they are present, missing or changed, then they are ignored', async () => {
    const STORES = [
      world.store,
      tampered(world.store, 'sessions', () => []),
      tampered(world.store, 'sessions', (rows) =>
        rows.map((row) => ({ ...row, signedOut: true, version: 9 })),
      ),
    ]
    for (const store of STORES) expect(await check(world, store)).to.deep.equal([])
  })

  it('when one gets a later expiry, then it is reported', async () => {
    const [{ id } = { id: '' }] = (await recordsOf(world.store)).sessions
    const store = tampered(world.store, 'sessions', (rows) =>
      rows.map((row) => (row.id === id ? { ...row, expiresAtSeconds: 4_102_444_800 } : row)),
    )
    expect(await check(world, store)).to.deep.equal([
      `sessions ${id} (version 2): the row differs from the log`,
    ])
  })
})

describe('checkLog, given an unavailable store', () => {
  const AWAY = { _tag: 'StoreUnavailable', reason: 'no answer' } as const

  it('when the log cannot be read, then that failure is the answer', async () => {
    const store = { ...memoryStore(), readEvents: () => async () => left(AWAY) }
    expect(
      await fail(checkLog({ store, clock: settableClock(NOW).read, digests: nodeDigests })),
    ).to.deep.equal(AWAY)
  })

  for (const table of ['applications', 'users', 'sessions', 'keys', 'revoked_tokens'] as const) {
    it(`when ${table} cannot be read, then that failure is the answer`, async () => {
      const whole = memoryStore()
      const store: Store = {
        ...whole,
        listRows: (query) => (query.table === table ? async () => left(AWAY) : whole.listRows(query)),
      }
      expect(
        await fail(checkLog({ store, clock: settableClock(NOW).read, digests: nodeDigests })),
      ).to.deep.equal(AWAY)
    })
  }
})
