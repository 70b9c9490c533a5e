import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { NewEntry } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import { doctor, place, SIGNER, wholeLog } from '../history/pruned-workplace.ts'
import { A_DAY_MS } from '../support/a-year.ts'
import { integrated } from '../support/integration.ts'
import { onSqlite } from '../support/one-store.ts'
import { aSession, change, newId, signedIn } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const OLD = new Date(Date.now() - 30 * A_DAY_MS).toISOString()
const BEFORE = new Date(Date.now() - 10 * A_DAY_MS).toISOString()

onSqlite('portcullis events prune', (stores) => {
  const shared = stores.workplace()
  const { portcullis, folder, keep, remove } = place(() => shared.url())
  after(async () => {
    await remove()
    await shared.remove()
  })

  /** Writes old refusals, which have no effect. */
  const refuse = (times: number) =>
    shared.withStore(async (store) => {
      for (let time = 0; time < times; time += 1) {
        const entry: NewEntry = {
          type: 'SignInRefused',
          version: 1,
          id: newId(),
          at: OLD,
          actor: { kind: 'nobody' },
          subject: SERVICE,
          data: { reason: 'unknown_email' },
        }
        await commitAll(store, { id: entry.id, events: [entry], compared: [], rows: [] })
      }
    })
  /** Writes an old sign-in. Its session has expired, and housekeeping has not deleted the row. */
  const signIn = () =>
    shared.withStore(async (store) => {
      const expiresAtSeconds = Math.floor(Date.parse(BEFORE) / 1000) - 1
      const signed = change(signedIn(aSession({ expiresAtSeconds })))
      const [event] = signed.events
      await commitAll(store, { ...signed, events: [{ ...event, at: OLD }] })
    })
  const integrate = () => shared.withStore((store) => integrated(store, SIGNER))
  const length = async () => (await shared.withStore(wholeLog)).length
  const refused = async (words: string, status: number, message: string | RegExp) => {
    const before = await length()
    const ended = await portcullis(`events prune ${words}`)
    expect([ended.status, ended.out]).to.deep.equal([status, ''])
    expect(ended.err).to.match(typeof message === 'string' ? new RegExp(`^${message}`) : message)
    expect(await length()).to.equal(before)
  }
  const prune = `--before ${BEFORE} --exported log`

  before(async () => {
    await refuse(3)
    await portcullis('events export early')
    await refuse(2)
    await signIn()
    await portcullis('application create --name shop')
  })

  for (const wrong of ['yesterday', '2025-13-01', '2025-02-29', '2025-11-22T08:00:00', '1732233600', ''])
    it(`refuses the date ${JSON.stringify(wrong)}`, () =>
      refused(`--before=${wrong} --exported log`, 2, /It must be a date or a time \(RFC 3339\)/))

  it('refuses a date of which sessions may still be in the store', async () => {
    const yesterday = new Date(Date.now() - A_DAY_MS).toISOString()
    await refused(
      `--before ${yesterday} --exported log`,
      2,
      '--before is wrong. The date must be at least two days ago',
    )
  })

  it('says what is missing, step by step, and changes nothing until then', async () => {
    const settings = readFileSync(join(folder, '.env'), 'utf8')
    keep('.env', '')
    await refused(prune, 1, 'No key signs checkpoints. Set EVENT_LOG_KEY')
    keep('.env', settings)
    await refused(
      prune,
      1,
      'The signed checkpoint in the store does not cover position 7 yet. Nothing was changed. Start the server',
    )
    await integrate()
    await refused(prune, 1, 'The exported log is wrong: there is no checkpoint.')
    await refused(
      `--before ${BEFORE} --exported early`,
      1,
      'The exported log ends at position 3, and position 6 would be pruned. Nothing was changed. Run events export',
    )
    await portcullis('events export log')
    keep('.env', settings.replace(/e{64}/, 'f'.repeat(64)))
    await refused(prune, 1, 'The signed checkpoint in the store does not cover position 7 yet')
    keep('.env', settings)
  })

  it('refuses an export of another log, a changed one, and one by another key', async () => {
    const other = place(() => `sqlite:${join(folder, 'other.db')}`)
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
      await other.portcullis(`application create --name ${name}`)
    await other.portcullis(`events export ${join(folder, 'of-another')}`)
    await refused(
      `--before ${BEFORE} --exported of-another`,
      1,
      'The folder contains the log of \\S+ with 7 entries, and this log does not continue it. Nothing was changed.',
    )
    other.keep('.env', `EVENT_LOG_KEY=2026:${'f'.repeat(64)}\n`)
    await other.portcullis(`events export ${join(folder, 'by-another')}`)
    await refused(
      `--before ${BEFORE} --exported by-another`,
      1,
      'The exported log is wrong: no given verifier key has signed the checkpoint.',
    )
    await other.remove()

    await portcullis('events export changed')
    const bundle = join(folder, 'changed/tile/entries/000.p/7')
    writeFileSync(bundle, readFileSync(bundle, 'latin1').replace('unknown', 'unkn0wn'), 'latin1')
    await refused(
      `--before ${BEFORE} --exported changed`,
      1,
      'The exported log is wrong: the first 7 entries have another root',
    )
  })

  it('prunes, and says to keep the folder', async () => {
    const { status, out, err } = await portcullis(`events prune ${prune}`)
    expect([status, err]).to.deep.equal([0, 'Keep log: only it contains the pruned entries.\n'])
    expect(out).to.equal(`before           ${seconds(BEFORE)}\nthrough          6\nentries_deleted  6\n`)
    expect(await doctor(portcullis)).to.deep.equal([])
    expect((await shared.contents()).sessions, 'the row of the expired session').to.deep.equal([])
  })
})

const seconds = (time: string): string => time.replace(/\.\d+Z$/, '.000Z')
