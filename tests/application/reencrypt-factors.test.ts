import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { reencryptFactors } from '../../application/factors/reencrypt-factors.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import { NO_REQUEST, recorder } from '../../application/recording/recorder.ts'
import type { Actor } from '../../domain/event.ts'
import type { Factor } from '../../domain/factor.ts'
import { eventsOf } from '../support/events.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { enrolUser } from '../support/second-factors.ts'
import { aUser, registered } from '../testkit/builders.ts'
import { drivenBackground } from './background.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { FULL, NOW, withSwitch } from './world.ts'

const [A, B, C] = ['a', 'b', 'c'].map((id) => ({ id, secret: id.repeat(32) }))
const under = (...keys: ReadonlyArray<typeof A>): KeyWrapping =>
  aesKeyWrapping(keys.flatMap((key) => (key === undefined ? [] : [key])))
const HOUR = 3_600

describe('reencryptFactors, given secrets of authenticator apps', () => {
  const given = () => {
    const clock = settableClock(NOW)
    const store = withSwitch(memoryStore())
    const random = countingRandom()
    const record = recorder({ store, clock: clock.read, random, digests: nodeDigests })
    const reads: Array<number> = []
    let isClosed = false
    const listRows: typeof store.listRows = (query) => {
      reads.push(clock.read() - Date.parse(NOW))
      return isClosed ? async () => left(FULL) : store.listRows(query)
    }
    const factors = async (): Promise<ReadonlyArray<Factor>> =>
      succeed(store.listRows({ table: 'factors', after: '', limit: 10_000 }))
    return {
      store,
      reads,
      closeStore: (closed: boolean) => {
        isClosed = closed
      },
      /** Enrols an app whose secret is encrypted with this. */
      enrol: async (wrapping: KeyWrapping) => {
        const user = aUser()
        await succeed(record([registered(user)], OPERATOR, NO_REQUEST))
        const materialOf = (kid: string) => wrapping.wrap('SECRET', { kid, purpose: 'totp' })
        return enrolUser(store, user.id, { materialOf })
      },
      /** Starts a process with these keys. */
      start: (wrapping: KeyWrapping) => {
        const background = drivenBackground(clock)
        const work = reencryptFactors({ store: { listRows }, wrapping, record, background })
        work.start()
        work.start()
        return background
      },
      factors,
      states: async (wrapping: KeyWrapping) =>
        (await factors())
          .filter(({ kind }) => kind === 'totp')
          .map(({ id, material }) => wrapping.assess(material, { kid: id, purpose: 'totp' })),
      events: async (): Promise<ReadonlyArray<Readonly<{ actor: Actor; data: Record<string, unknown> }>>> =>
        eventsOf(store, 'FactorReencrypted'),
      expectAgreement: async () => {
        const { disagreements } = await succeed(checkLog({ store, clock: clock.read, digests: nodeDigests }))
        expect(disagreements).to.deep.equal([])
      },
    }
  }

  it('when some are under a former key, then a start encrypts them again, and nothing else changes', async () => {
    const world = given()
    for (const wrapping of [under(A), under(B), under(A)]) await world.enrol(wrapping)
    const before = await world.factors()
    await world.start(under(B, A)).passSeconds(1)
    expect(await world.states(under(B))).to.deep.equal(['current', 'current', 'current'])
    const after = await world.factors()
    for (const [index, { id, kind, material, ...rest }] of after.entries()) {
      const { material: former, version, ...others } = before[index] ?? {}
      const isOutdated =
        kind === 'totp' && under(B, A).assess(former ?? '', { kid: id, purpose: 'totp' }) === 'outdated'
      expect({ id, kind, ...rest }).to.deep.equal({
        ...others,
        version: (version ?? 0) + (isOutdated ? 1 : 0),
      })
      if (kind === 'totp')
        expect(under(B).unwrap(material, { kid: id, purpose: 'totp' })).to.have.property('right', 'SECRET')
    }
    const events = await world.events()
    expect(events.map(({ actor, data }) => [actor, data.key_encryption_key_id])).to.deep.equal(
      Array(2).fill([{ kind: 'nobody' }, 'b']),
    )
    await world.expectAgreement()
  })

  it('when none is under a former key, then it reads each page once, and writes nothing', async () => {
    const world = given()
    for (let each = 0; each < 60; each += 1) await world.enrol(under(A)) // with the recovery codes, 120 rows
    await world.start(under(A)).passSeconds(HOUR)
    expect(world.reads).to.deep.equal([1_000, 1_100])
    expect(await world.events()).to.deep.equal([])
  })

  it('when there are many, then it takes a page at a time', async () => {
    const world = given()
    for (let each = 0; each < 120; each += 1) await world.enrol(under(A))
    await world.start(under(B, A)).passSeconds(2)
    expect(world.reads).to.deep.equal([1_000, 1_100, 1_200])
    expect(await world.events()).to.have.lengthOf(120)
  })

  it('when two processes start at once, then each secret is encrypted again once', async () => {
    const world = given()
    for (let each = 0; each < 20; each += 1) await world.enrol(under(A))
    const processes = [world.start(under(B, A)), world.start(under(B, A))]
    await Promise.all(processes.map((background) => background.passSeconds(HOUR)))
    expect(new Set(await world.states(under(B)))).to.deep.equal(new Set(['current']))
    expect(await world.events()).to.have.lengthOf(20)
    await world.expectAgreement()
  })

  it('when processes disagree about the current key, then each encrypts them once, and both rest', async () => {
    const world = given()
    await world.enrol(under(C))
    await world.start(under(A, B, C)).passSeconds(HOUR)
    await world.start(under(B, A, C)).passSeconds(HOUR)
    expect((await world.events()).map(({ data }) => data.key_encryption_key_id)).to.deep.equal(['a', 'b'])
  })

  it('when the store cannot be read or written, then it tries again a minute later', async () => {
    const world = given()
    await world.enrol(under(A))
    world.closeStore(true)
    const background = world.start(under(B, A))
    await background.passSeconds(1)
    world.closeStore(false)
    world.store.readOnly = true
    await background.passSeconds(60)
    world.store.readOnly = false
    expect(await world.events()).to.deep.equal([])
    await background.passSeconds(HOUR)
    expect(world.reads).to.deep.equal([1_000, 61_000, 121_000])
    expect(await world.states(under(B))).to.deep.equal(['current'])
  })

  it('when a secret cannot be decrypted, then it stays, and the others are encrypted', async () => {
    const world = given()
    for (const wrapping of [under(C), under(A)]) await world.enrol(wrapping)
    await world.start(under(B, A)).passSeconds(HOUR)
    expect(await world.states(under(B))).to.have.members(['unreadable', 'current'])
    expect(world.reads).to.have.lengthOf(1)
  })

  for (const [what, wrapping] of [
    ['there is no key-encryption key', under()],
    ['the process stops first', under(B, A)],
  ] as const) {
    it(`when ${what}, then nothing is read`, async () => {
      const world = given()
      await world.enrol(under(A))
      const background = world.start(wrapping)
      if (wrapping.keyEncryptionKeyId._tag === 'Some') await background.close()
      await background.passSeconds(HOUR)
      expect(world.reads).to.deep.equal([])
    })
  }
})
