import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { RowOf, Table } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  registered,
  registeredApplication,
} from '../testkit/builders.ts'
import { ALTERATIONS_OF_ROWS } from './check-log-alterations.ts'
import { check, EMAILS, eventfulWorld } from './eventful-world.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { recordsOf, tampered } from './records.ts'
import { CONTEXT, NOW, type World } from './world.ts'

describe('checkLog, given one row that was changed without a log entry', () => {
  let world: World
  before(async () => {
    world = await eventfulWorld()
  })

  /** Returns the store with one field of the first such row changed, and the name of that row. */
  const altered = async ({ table, field, of, to }: (typeof ALTERATIONS_OF_ROWS)[number]) => {
    const row = ((await recordsOf(world.store))[table] as ReadonlyArray<RowOf<Table>>).find(of)
    if (row === undefined) throw new Error('no row is like that')
    const after = { ...row, [field]: to(row) } as RowOf<Table>
    const store = tampered<Table>(world.store, table, (rows) =>
      rows.map((one) => (one.id === row.id ? after : one)),
    )
    return { store, before: row, after }
  }

  for (const alteration of ALTERATIONS_OF_ROWS) {
    const { table, field, name, said } = alteration
    it(`when ${field} in ${table} is ${name}, then ${said.join(' and ') || 'nothing'} is reported`, async () => {
      const { store, before, after } = await altered(alteration)
      const called = 'kid' in before ? before.kid : before.id
      const sentences = said.map(
        (what) => `${table} ${after.id} (version ${after.version}): ${what} differs from the log`,
      )
      const missing = `${table} ${called}: the row is missing`
      const expected = said.includes('the row') ? [...sentences, missing] : sentences
      expect(await check(world, store)).to.deep.equal(expected)
    })
  }

  it('when it reports a difference, then no sentence contains a secret, an e-mail or a digest', async () => {
    const records = await recordsOf(world.store)
    const secrets = [
      ...EMAILS,
      world.ada.email,
      'example.com',
      'forged secret',
      'f0f0',
      '9 eve',
      ...records.users.flatMap(({ passwordRecord }) => [passwordRecord, nodeDigests.sha256(passwordRecord)]),
      ...records.applications.flatMap(({ keyDigest, previousKey }) => [
        keyDigest,
        isSome(previousKey) ? previousKey.value.digest : '',
      ]),
      ...records.keys.map(({ material }) => material),
    ].filter((secret) => secret !== '')
    let sentences = 0
    for (const alteration of ALTERATIONS_OF_ROWS) {
      for (const sentence of await check(world, (await altered(alteration)).store)) {
        sentences += 1
        for (const secret of secrets) expect(sentence).to.not.include(secret)
      }
    }
    expect(sentences).to.be.above(30)
  })

  const EXTRA: { [T in Table]: RowOf<T> } = {
    applications: anApplication(),
    users: aUser(),
    sessions: aSession(),
    keys: aKey(),
    revoked_tokens: aRevokedToken(),
    one_time_tokens: aOneTimeToken(),
    factors: aFactor(),
  }
  for (const table of Object.keys(EXTRA) as ReadonlyArray<Table>) {
    it(`when ${table} has an extra row, then it is reported`, async () => {
      const extra = EXTRA[table]
      const store = tampered<Table>(world.store, table, (rows) => [...rows, extra])
      expect(await check(world, store)).to.deep.equal([
        `${table} ${extra.id} (version 1): the row differs from the log`,
      ])
    })

    it(`when any of ${table} is missing, then it is reported`, async () => {
      const records: ReadonlyArray<RowOf<Table>> = (await recordsOf(world.store))[table]
      expect(records).to.not.have.lengthOf(0)
      for (const gone of records) {
        const store = tampered<Table>(world.store, table, (rows) => rows.filter(({ id }) => id !== gone.id))
        const called = 'kid' in gone ? gone.kid : gone.id
        expect(await check(world, store)).to.deep.equal([`${table} ${called}: the row is missing`])
      }
    })
  }

  it('when 40000 rows are missing, then each is reported', async () => {
    const store = memoryStore()
    const { read } = settableClock(NOW)
    const made = Array.from({ length: 40_000 }, () => registeredApplication())
    await succeed(
      recorder({ store, clock: read, random: countingRandom(), digests: nodeDigests })(
        [registered(), ...made],
        OPERATOR,
        CONTEXT,
      ),
    )
    const without = tampered(store, 'applications', () => [])
    const { rows, disagreements } = await succeed(
      checkLog({ store: without, clock: read, digests: nodeDigests }),
    )
    expect(rows).to.equal(1)
    expect(new Set(disagreements).size).to.equal(40_000)
  })

  it('when several rows were changed, then each is reported', async () => {
    const store = tampered(
      tampered(world.store, 'users', (rows) => rows.map((row) => ({ ...row, status: 'enabled' }))),
      'keys',
      (rows) => rows.map((row) => ({ ...row, retired: false, material: 'forged' })),
    )
    const { users, keys } = await recordsOf(world.store)
    expect(await check(world, store)).to.have.lengthOf(
      users.filter(({ status }) => status !== 'enabled').length +
        2 * keys.filter(({ retired }) => retired).length,
    )
  })
})
