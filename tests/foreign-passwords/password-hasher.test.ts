import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { standardPasswordHasher } from '../../adapters/composition/security.ts'
import type { HashingRequest, PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { HashedPassword } from '../../domain/user.ts'
import { foreignRecords } from '../support/foreign-records.ts'
import { fail, succeed } from '../support/outcome.ts'

const PASSWORD = 'correct horse'
const REQUEST: HashingRequest = { share: ['tests'] }
const CHEAP = { scrypt: { logN: 1, r: 8, p: 1 }, peppers: [] }

const hasherAt = (concurrency: number, maxWaitMs: number): PasswordHasher =>
  standardPasswordHasher({ ...CHEAP, hashing: { concurrency, maxWaitMs } })

describe('the standard hasher, given records of other systems', () => {
  let records: ReadonlyArray<HashedPassword>
  before(async () => {
    records = await foreignRecords(PASSWORD)
  })

  const verify = (hasher: PasswordHasher, password: string, record: string) =>
    succeed(hasher.verify(password, some(record), REQUEST))

  it('verifies them, and finds them outdated', async () => {
    const hasher = hasherAt(1, 600_000)
    for (const { record, scheme } of records) {
      expect(hasher.assess(record), record).to.equal('outdated')
      expect(isSome(hasher.verifyMs(some(scheme))), scheme).to.equal(true)
      expect(await verify(hasher, PASSWORD, record), record).to.equal(true)
      expect(await verify(hasher, 'wrong', record), record).to.equal(false)
    }
  })

  it('finds a bcrypt record outdated for a password of up to 71 bytes, because it compares no more than 72', async () => {
    const hasher = hasherAt(1, 600_000)
    for (const [password, state] of [
      ['a'.repeat(71), 'outdated'],
      ['a'.repeat(72), 'current'],
      ['a'.repeat(73), 'current'],
      [`${'é'.repeat(35)}a`, 'outdated'],
      ['é'.repeat(36), 'current'],
    ] as const)
      for (const { record, scheme } of await foreignRecords(password)) {
        expect(await verify(hasher, password, record), record).to.equal(true)
        expect(hasher.assess(record, password), record).to.equal(scheme === 'bcrypt:4' ? state : 'outdated')
        expect(hasher.assess(record), record).to.equal('outdated')
      }
  })

  it('makes records of its own', async () => {
    const hasher = hasherAt(1, 600_000)
    const { record, scheme } = await succeed(hasher.hash(PASSWORD, REQUEST))
    expect(record).to.match(/^1\$\$/)
    expect(scheme).to.equal('scrypt ln=1,r=8,p=1')
    expect(hasher.assess(record)).to.equal('current')
    expect(await verify(hasher, PASSWORD, record)).to.equal(true)
  })

  it('cannot read records and schemes out of bounds', async () => {
    const hasher = hasherAt(1, 600_000)
    const record = '$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
    expect(hasher.assess(record)).to.equal('unreadable')
    expect(await verify(hasher, 'U*U', record)).to.equal(false)
    for (const scheme of ['bcrypt:15', 'argon2id:m=262145,t=1,p=1', 'pbkdf2-sha256:5000001'])
      expect(hasher.verifyMs(some(scheme)), scheme).to.deep.equal(none)
  })

  it('estimates the time of each scheme by its work, and then by measurements', async () => {
    const hasher = hasherAt(1, 600_000)
    const ms = (scheme: string): number => {
      const found = hasher.verifyMs(some(scheme))
      return isSome(found) ? found.value : Number.NaN
    }
    for (const [cheap, dear] of [
      ['bcrypt:10', 'bcrypt:11'],
      ['argon2i:m=64,t=2,p=2', 'argon2i:m=128,t=2,p=2'],
      ['scrypt:4,2,1', 'scrypt:5,2,1'],
      ['pbkdf2-sha1:10,blocks=2', 'pbkdf2-sha1:40'],
    ] as const)
      expect(ms(dear) / ms(cheap), dear).to.be.closeTo(2, 0.001)
    for (const { record, scheme } of records) {
      const estimate = ms(scheme)
      await verify(hasher, PASSWORD, record)
      expect(ms(scheme), scheme).not.to.equal(estimate)
    }
    const dearer = '$2b$08$dJ1lM0lUNYL.k1bwwudWBuUrrruF2rqW6IGgFftG6zXxxfrkWjJzy'
    await verify(hasher, 'wrong', dearer)
    const OVERHEAD_MS = 0.5
    const expectedMs = (ms('bcrypt:8') - OVERHEAD_MS) * 2 ** 4 + OVERHEAD_MS
    expect(ms('bcrypt:12')).to.be.closeTo(expectedMs, 0.001)
  })

  it('verifies them in the queue of its own hashes, so that one limit holds for all', async () => {
    for (const { record } of records) {
      const hasher = hasherAt(1, 0)
      const overloaded = { _tag: 'Overloaded', retryAfterSeconds: 1 }
      const first = hasher.verify(PASSWORD, some(record), REQUEST)()
      expect(await fail(hasher.hash(PASSWORD, REQUEST)), record).to.deep.equal(overloaded)
      expect(await first).to.deep.include({ right: true })
      const second = hasher.hash(PASSWORD, REQUEST)()
      expect(await fail(hasher.verify(PASSWORD, some(record), REQUEST)), record).to.deep.equal(overloaded)
      await second
    }
  })

  it('skips them when the client has gone, also while they wait', async () => {
    for (const { record } of records) {
      const hasher = hasherAt(1, 600_000)
      const controller = new AbortController()
      let starts = 0
      const onStart = () => {
        starts += 1
      }
      const first = hasher.hash(PASSWORD, REQUEST)()
      const waiting = hasher.verify(PASSWORD, some(record), {
        ...REQUEST,
        signal: controller.signal,
        onStart,
      })()
      controller.abort()
      expect(await waiting, record).to.deep.equal({ _tag: 'Left', left: { _tag: 'Abandoned' } })
      await first
      expect(starts).to.equal(0)
    }
  })

  it('runs them to their end once they have started, and says so once', async () => {
    for (const { record } of records) {
      const hasher = hasherAt(1, 600_000)
      const controller = new AbortController()
      let starts = 0
      const onStart = () => {
        starts += 1
        controller.abort()
      }
      const task = hasher.verify(PASSWORD, some(record), { ...REQUEST, signal: controller.signal, onStart })
      expect(starts).to.equal(0)
      expect(await succeed(task), record).to.equal(true)
      expect(starts).to.equal(1)
    }
  })

  it('lets shares take turns', async () => {
    const hasher = hasherAt(1, 600_000)
    const [{ record } = { record: '' }] = records
    const begun: Array<string> = []
    const asking = (name: string): HashingRequest => ({ share: [name], onStart: () => begun.push(name) })
    const many = Array.from({ length: 10 }, () => hasher.verify(PASSWORD, some(record), asking('many'))())
    const one = hasher.hash(PASSWORD, asking('one'))()
    await Promise.all([one, ...many])
    expect(begun.indexOf('one')).to.be.at.most(2)
  })
})
