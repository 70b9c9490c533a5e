import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Attributes } from '../../domain/attributes.ts'
import type { User } from '../../domain/user.ts'
import { foreignRecords } from '../support/foreign-records.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { ownRecord } from '../support/own-record.ts'
import { startHere } from '../support/run-here.ts'

const PEPPERS = { PASSWORD_PEPPER: `2027:${'q'.repeat(32)} 2026:${'p'.repeat(32)}` }

const MEMBERS = ['email', 'password_hash', 'id', 'email_verified', 'created_at', 'status']
const EVERY_ATTRIBUTE: Attributes = {
  name: 'Ada “Byron” 🦊',
  given_name: 'Ada',
  family_name: 'Lovelace',
  picture: 'https://example.com/ada.png',
  locale: 'en-GB',
  zoneinfo: 'Europe/London',
  metadata: { note: 'two\nlines\u0000', ok: false, size: 1e21 },
}

/** A user as the random cases make it. */
type Case = Readonly<{
  record: number
  disabled: boolean
  verified: boolean
  hasId: boolean
  created: number
  attributes: Attributes
}>

/** What must come back of a user. */
const kept = ({ version: _, passwordVersion: __, emailVersion: ___, ...user }: User) => user

onSqlite('users that were exported', (stores) => {
  const { folder, remove } = stores.workplace()
  after(remove)
  let records: ReadonlyArray<string> = []
  before(async () => {
    const foreign = await foreignRecords('a password')
    const own = ['', '2026', '2027'].flatMap((pepper) => [
      ownRecord({ logN: 1, r: 8, p: 1 }, pepper),
      ownRecord({ logN: 15, r: 8, p: 3 }, pepper),
    ])
    records = [...foreign.map(({ record }) => record), ...own]
  })

  let runs = 0
  /** Commands on a new store. */
  const newStore = async () => {
    const { DATABASE_URL } = await stores.fresh()
    const run = async (words: string, input = '') => {
      const ended = await startHere(words, { environment: { ...PEPPERS, DATABASE_URL }, input, folder }).ended
      expect([
        words,
        ended.status,
        words.startsWith('doctor') ? '' : ended.err.replaceAll(/^\d+ records? .* pepper .*\n/gm, ''),
      ]).to.deep.equal([words, 0, ''])
      return ended.out
    }
    await run('application create --name shop --json')
    return {
      run,
      url: DATABASE_URL,
      users: async () => {
        const store = await stores.kind.openStore(DATABASE_URL)
        try {
          return await succeed(store.listUsers({ after: '', limit: 10_000 }))
        } finally {
          await store.close()
        }
      },
      /** Exports the users, and returns the text of the file. */
      exported: async () => {
        runs += 1
        await run(`user export ${runs}.jsonl --json`)
        return readFileSync(join(folder, `${runs}.jsonl`), 'utf8')
      },
      log: async () => {
        const { out } = await startHere('doctor --json', { environment: { ...PEPPERS, DATABASE_URL } }).ended
        return JSON.parse(out).checks.find(({ name }: { name: string }) => name === 'log')
      },
    }
  }

  const lineOf = ({ record, disabled, verified, hasId, created, attributes }: Case, index: number): string =>
    JSON.stringify({
      email: `User.${index}@Example.com`,
      password_hash: records[record % records.length],
      id: hasId ? `0b8f6a5e-2f6c-4c5d-9a3e-${String(index).padStart(12, '0')}` : undefined,
      email_verified: verified,
      created_at: new Date(created * 1000).toISOString(),
      status: disabled ? 'disabled' : 'enabled',
      ...attributes,
    })

  const there = async (cases: ReadonlyArray<Case>) => {
    const [one, other] = [await newStore(), await newStore()]
    const count = cases.length
    const all = `${JSON.stringify({ lines: count, imported: count, known: 0, bad: 0 })}\n`
    expect(await one.run('user import - --json', cases.map(lineOf).join('\n'))).to.equal(all)
    const file = await one.exported()
    expect(await other.run('user import - --json', file)).to.equal(all)
    const [before, after] = [await one.users(), await other.users()]
    expect(before).to.have.lengthOf(count)
    expect(after.map(kept)).to.deep.equal(before.map(kept))
    expect(await other.exported(), 'the file of the other store').to.equal(file)
    return { other, before, file }
  }

  it('come back with every kind of record in both states, and the log of their store agrees', async function () {
    this.timeout(60_000)
    const cases = records.flatMap((_, record) =>
      [true, false].map((disabled) => ({
        record,
        disabled,
        verified: disabled,
        hasId: true,
        created: record,
        attributes: disabled ? EVERY_ATTRIBUTE : {},
      })),
    )
    const { other, before, file } = await there(cases)
    expect(before.map(({ passwordRecord }) => passwordRecord)).to.have.members(
      records.flatMap((record) => [record, record]),
    )
    expect((await other.log()).ok).to.equal(true)
    const disabled = (await other.users()).filter(({ status }) => status === 'disabled')
    expect(disabled).to.have.lengthOf(records.length)
    expect(jsonLines(file).map((line) => Object.keys(line))).to.deep.equal(
      cases.map(({ attributes }) => [...MEMBERS, ...Object.keys(attributes)]),
    )
  })

  it('are as they are after their life in the store: changed, enabled again, removed', async function () {
    this.timeout(60_000)
    const { run, users, exported } = await newStore()
    for (const name of ['Ada', 'bob', 'eve', 'zoe'])
      await run(`user create --email ${name}@example.com --password-stdin --json`, 'pw')
    await run('user set-password ada@example.com --password-stdin --json', 'another')
    for (const words of ['disable bob@example.com', 'disable eve@example.com', 'enable eve@example.com'])
      await run(`user ${words} --json`)
    await run('user remove zoe@example.com --json')
    const other = await newStore()
    await other.run('user import - --json', await exported())
    const [before, after] = [await users(), await other.users()]
    expect(before.map(({ email, status }) => [email, status])).to.deep.equal([
      ['Ada@example.com', 'enabled'],
      ['bob@example.com', 'disabled'],
      ['eve@example.com', 'enabled'],
    ])
    expect(after.map(kept)).to.deep.equal(before.map(kept))
    expect(after.map(({ passwordRecord }) => passwordRecord.slice(0, 7))).to.deep.equal(
      Array(3).fill('1$2027$'),
    )
    expect((await other.log()).ok).to.equal(true)
  })
})
