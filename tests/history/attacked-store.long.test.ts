import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { publishedLog } from '../../application/log/published-log.ts'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { integration } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { runHere } from '../support/run-here.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { ATTACKS, CUT, PUT_BACK, SHORTER, type Sql, statementsOn, treeAs } from './attack-sql.ts'

const SECRET = 'e'.repeat(64)
const PUBLIC_URL = 'https://id.example.com'
const SIGNER = { keys: [{ secret: SECRET }], publicUrl: PUBLIC_URL }
const SETTINGS = { PUBLIC_URL, EVENT_LOG_KEY: `2026:${SECRET}` }

onEverySharedStore('a log that an attacker with access to the database changes', (stores) => {
  /** A log of six entries that a process has integrated twice, at four entries and at six. */
  const logOfSix = async () => {
    const { store, environment } = await stores.lasting()
    const log = treeOf(store)
    if (log === undefined) throw new Error('the store has no tree')
    await commitAll(store, change(registered(), issuedToken(), issuedToken(), issuedToken()))
    const running = integration(log, SIGNER)
    await running.second()
    const old = await succeed(log.readTree())
    await grow(store, 2)
    await running.second()
    return {
      ...{ store, log, running, old, notes: [old.note, await published(log)] },
      url: environment.DATABASE_URL,
    }
  }

  const grow = async (store: Store, entries: number): Promise<void> => {
    for (let left = entries; left > 0; left -= 1) await commitAll(store, change(issuedToken()))
  }

  const published = async (log: LogTree): Promise<string> => {
    const note = await succeed(publishedLog({ log, publicUrl: PUBLIC_URL }).checkpoint)
    return isSome(note) ? note.value : ''
  }

  const attack = (url: string, sql: Sql) => stores.kind.spoil(url, ...statementsOn(stores.kind, sql))

  const run = (words: string, url: string) => runHere(words, { ...SETTINGS, DATABASE_URL: url })

  const historyOf = async (url: string): Promise<{ ok: boolean; detail: string }> => {
    const { checks } = JSON.parse((await run('doctor --json', url)).out)
    return checks.find(({ name }: { name: string }) => name === 'history')
  }

  for (const [what, { sql, entries = 0, seen, unseen, doctor }] of Object.entries(ATTACKS))
    describe(what, () => {
      it(`is ${doctor === undefined ? 'no damage for' : 'reported by'} doctor and events verify`, async () => {
        const { store, url, log } = await logOfSix()
        expect(await historyOf(url), 'before').to.include({ ok: true })
        await attack(url, sql)
        await grow(store, entries)
        const { ok, detail } = await historyOf(url)
        const { status, out, err } = await run('events verify', url)
        if (doctor === undefined) {
          expect({ ok, status, out }).to.deep.equal({
            ok: true,
            status: 0,
            out: 'ok     the log  6 entries agree with their tree.\n',
          })
          await integration(log, SIGNER).second()
          expect(await historyOf(url)).to.include({ ok: true })
        } else {
          expect({ ok, status }).to.deep.equal({ ok: false, status: 1 })
          expect(detail).to.match(doctor)
          expect((out + err).toLowerCase()).to.match(doctor)
        }
      })

      it(`${seen === undefined ? 'is not noticed by' : 'stops'} a signer that runs meanwhile`, async () => {
        const { store, url, log, running, notes } = await logOfSix()
        await attack(url, sql)
        if (entries > 0 && sql === CUT) expect(await running.second()).to.deep.equal([{ finding: SHORTER }])
        await grow(store, entries)
        const told = await running.second()
        if (seen === undefined) expect(told).to.deep.equal([{ pending: 0 }])
        else {
          expect(told).to.deep.equal([{ finding: seen }])
          expect(await running.second(), 'told once').to.deep.equal([])
          await grow(store, 1)
          expect(
            (await running.second()).some((one) => 'pending' in one),
            'later',
          ).to.equal(false)
          expect([...notes, ''], 'nothing else is published').to.include(await published(log))
        }
      })

      it(`${unseen === undefined ? 'is not noticed by' : 'stops'} a signer that starts afterwards`, async () => {
        const { store, url, log, notes } = await logOfSix()
        await attack(url, sql)
        await grow(store, entries)
        const started = integration(log, SIGNER)
        expect(await started.second()).to.deep.equal([
          unseen === undefined ? { pending: 0 } : { finding: unseen },
        ])
        if (unseen !== undefined) expect(notes).to.include(await published(log))
        else if (entries === 0) expect(await published(log), 'the same checkpoint').to.equal(notes[1])
      })

      if (seen === undefined) return
      it('is accepted by a renewal: signers go on under a new origin', async () => {
        const { store, url, log, running, old } = await logOfSix()
        await attack(url, sql)
        await grow(store, entries)
        await running.second()
        const { status } = await run('events renew', url)
        expect(status).to.equal(0)
        expect(await published(log), 'no old checkpoint').to.equal('')
        const { epoch } = await succeed(log.readTree())
        expect(epoch).not.to.equal(old.epoch)
        for (const signer of [running, integration(log, SIGNER)]) {
          expect((await signer.second()).at(-1)).to.deep.equal({ pending: 0 })
          const note = await published(log)
          expect(note).to.match(new RegExp(`^id\\.example\\.com/api/v1/log/${epoch}\n`))
          await grow(store, 1)
          await signer.second()
          expect(await published(log)).not.to.equal(note)
        }
        expect(await historyOf(url)).to.include({ ok: true })
      })
    })

  describe('an old tree row is put back', () => {
    it('stops a signer that runs meanwhile, and not one that starts afterwards: it signs the same again', async () => {
      const { url, log, running, old, notes } = await logOfSix()
      await attack(url, [treeAs(old)])
      expect(await historyOf(url)).to.include({ ok: true })
      expect(await running.second()).to.deep.equal([{ finding: PUT_BACK }])
      expect(await published(log), 'signed long ago').to.equal(notes[0])
      expect(await integration(log, SIGNER).second()).to.deep.equal([{ pending: 0 }])
      expect(await published(log)).to.equal(notes[1])
      expect(await running.second(), 'the cause is gone').to.deep.equal([{ pending: 0 }])
    })
  })

  it('stops a signer that runs meanwhile if another one, started since, signs another history', async () => {
    const { store, url, log, running, old } = await logOfSix()
    await attack(url, [...statementsOn(stores.kind, CUT), treeAs(old)])
    await grow(store, 5)
    const started = integration(log, SIGNER)
    expect(await started.second(), 'only a kept checkpoint could tell').to.deep.equal([{ pending: 0 }])
    const finding =
      'the first 6 entries of the stored tree have another root than this process has seen: the tree was changed'
    expect(await running.second()).to.deep.equal([{ finding }])
    await grow(store, 1)
    await started.second()
    expect(await running.second(), 'told once').to.deep.equal([])
  })

  it('tells each finding once, also while the log grows', async () => {
    const { store, url, log, running, old } = await logOfSix()
    await attack(url, CUT)
    expect(await running.second()).to.deep.equal([{ finding: SHORTER }])
    await grow(store, 1)
    expect(await running.second()).to.deep.equal([])
    await attack(url, [treeAs(old)])
    expect(await running.second()).to.deep.equal([{ finding: PUT_BACK }])
    await integration(log, SIGNER).second()
    expect(await running.second()).to.deep.equal([])
  })

  it('stops every signer if an entry is missing that is not in the tree yet', async () => {
    const { store, url, log, running, notes } = await logOfSix()
    await grow(store, 3)
    await attack(url, ['DELETE FROM log WHERE position = 7'])
    const finding = 'position 7 is missing: the next entry has position 8'
    for (const signer of [running, integration(log, SIGNER)])
      expect(await signer.second()).to.deep.equal([{ finding }])
    expect(await published(log)).to.equal(notes[1])
    expect(await historyOf(url)).to.include({ ok: false })
  })

  it('is published without a bundle that lacks an entry, because caches would keep it for ever', async () => {
    const { url, log } = await logOfSix()
    const { tile } = publishedLog({ log, publicUrl: PUBLIC_URL })
    const widths = async (): Promise<ReadonlyArray<boolean>> => {
      const bundles = [2, 3, 6].map((width) => succeed(tile({ level: 'entries', index: 0, width })))
      return (await Promise.all(bundles)).map(isSome)
    }
    expect(await widths()).to.deep.equal([true, true, true])
    await attack(url, ['DELETE FROM log WHERE position = 3'])
    expect(await widths()).to.deep.equal([true, false, false])
  })

  it('gets the entries into its tree that another program writes beside', async () => {
    const { url, log, running } = await logOfSix()
    await stores.kind.spoil(
      url,
      `INSERT INTO log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data)
       SELECT 7, 'other', type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data FROM log WHERE position = 2`,
      ...(stores.kind.name === 'SQLite' ? [] : ['UPDATE head SET position = 7']),
    )
    expect(await running.second()).to.deep.equal([{ pending: 0 }])
    expect((await published(log)).split('\n')[1]).to.equal('7')
    expect((await run('events verify', url)).status).to.equal(0)
  })
})
