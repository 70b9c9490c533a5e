import { expect } from 'chai'
import type { LogEntry, NewEntry, Store } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { integrated } from '../support/integration.ts'
import { provedPruning } from '../support/proved-pruning.ts'
import { newId } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { doctor, place, SIGNER, wholeLog } from './pruned-workplace.ts'

const OLD = '2026-01-02T03:04:05.006Z'
const NEXT_SECRET = 'f'.repeat(64)

/** Positions 1 to 4 are old refusals, and the last entry is never pruned. */
const POSITIONS = 8
const PRUNE = 'events prune --before 2026-01-03 --exported log'

onEverySharedStore('what a writer to the database makes of a pruning', (stores) => {
  const schema = stores.kind.name === 'SQLite' ? '' : 'portcullis.'

  /** A log that was pruned at positions 1 to 4, under a kept checkpoint of all its entries. */
  const prunedLog = async () => {
    const { store, environment } = await stores.lasting()
    const machine = place(() => environment.DATABASE_URL)
    for (let position = 1; position <= POSITIONS; position += 1) await refuse(store, position)
    await integrated(store, SIGNER)
    await machine.portcullis('events export log')
    const pruned = await machine.portcullis(PRUNE)
    expect(pruned.status, pruned.err).to.equal(0)
    await integrated(store, SIGNER)
    machine.keep('kept.txt', (await machine.portcullis('events checkpoint')).out)
    const spoil = (...sql: ReadonlyArray<string>) => stores.kind.spoil(environment.DATABASE_URL, ...sql)
    return { ...machine, store, spoil }
  }

  const refuse = (store: Store, position: number): Promise<void> => {
    const entry: NewEntry = {
      type: 'SignInRefused',
      version: 1,
      id: newId(),
      at: position <= 4 ? OLD : new Date().toISOString(),
      actor: { kind: 'nobody' },
      subject: SERVICE,
      data: { reason: 'unknown_email' },
    }
    return commitAll(store, { id: entry.id, events: [entry], compared: [], rows: [] })
  }

  const lastPruning = async (store: Store) => {
    const found = (await wholeLog(store)).findLast(({ type }) => type === 'LogPruned') as LogEntry & {
      type: 'LogPruned'
    }
    return found.data
  }

  /** Appends an entry as the service writes it. The signer includes it in the tree: it cannot know better. */
  const append = async (store: Store, proof: string): Promise<void> => {
    const entry: NewEntry = {
      type: 'LogPruned',
      version: 1,
      id: newId(),
      at: new Date().toISOString(),
      actor: { kind: 'operator' },
      subject: SERVICE,
      data: { ...(await lastPruning(store)), through: 6, entries: 5, proof },
    }
    await commitAll(store, { id: entry.id, events: [entry], compared: [], rows: [] })
  }

  const FORGERIES: Readonly<Record<string, (proof: string, checkpoint: string) => string>> = {
    'no proof': () => '',
    'the proof of the last pruning, for once more': (proof) => proof,
    'a proof whose positions were extended': (proof) => proof.replace('\n0 4\n', '\n0 6\n'),
    'the signature of a checkpoint': (proof, checkpoint) =>
      `${proof.replace('\n0 4\n', '\n0 6\n').split('\n\n')[0]}\n\n${checkpoint.split('\n\n')[1]}`,
  }

  for (const [what, forge] of Object.entries(FORGERIES))
    it(`a LogPruned with ${what} hides no missing entry under a kept checkpoint`, async () => {
      const { portcullis, store, spoil, remove } = await prunedLog()
      try {
        expect((await portcullis('events verify --against kept.txt')).status).to.equal(0)
        const checkpoint = (await portcullis('events checkpoint')).out
        await append(store, forge((await lastPruning(store)).proof, checkpoint))
        await spoil(`DELETE FROM ${schema}log WHERE position = 6`, `UPDATE ${schema}tree SET pruned = 6`)
        await integrated(store, SIGNER)
        const [log, history] = await doctor(portcullis)
        expect(log).to.match(
          /^position 6 is missing, and no LogPruned that EVENT_LOG_KEY has signed names it\./,
        )
        expect(history).to.match(/position 6 is missing: the next entry has position 7/)
        const verified = await portcullis('events verify --against kept.txt')
        expect(verified).to.deep.include({ status: 1, out: '' })
        expect(verified.err).to.match(/position 6 is missing/)
      } finally {
        await remove()
      }
    })

  it('proves the pruning again with a new key, so that the former one can go', async () => {
    const { portcullis, keep, store, remove } = await prunedLog()
    try {
      const settings = (keys: string) =>
        keep('.env', `EVENT_LOG_KEY=${keys}\nPUBLIC_URL=${SIGNER.publicUrl}\n`)
      const [former] = SIGNER.keys
      const verify = async () => (await portcullis('events verify')).status
      settings(`2027:${NEXT_SECRET} 2026:${former?.secret}`)
      expect(await verify(), 'with both').to.equal(0)
      const { out } = await portcullis('doctor')
      expect(out).to.match(
        /ok +history .*Not every key proves that 4 missing entries were pruned: run events prune/,
      )

      settings(`2027:${NEXT_SECRET}`)
      await integrated(store, { ...SIGNER, keys: [{ secret: NEXT_SECRET }, ...SIGNER.keys] })
      expect(await verify(), 'with the new one alone, too early').to.equal(1)

      settings(`2027:${NEXT_SECRET} 2026:${former?.secret}`)
      await portcullis('events export log')
      const before = await wholeLog(store)
      const asked = await portcullis(`${PRUNE} --json`)
      expect(asked.status, asked.err).to.equal(0)
      expect(asked.err).to.match(/pruned, only key [0-9a-f]{8}: 1 to 4\.\nCompare them .* --prove-again/)
      expect(await wholeLog(store), 'not asked for').to.deep.equal(before)
      expect((await portcullis('events verify')).out).to.match(/Not every key proves that 4 missing entries/)

      const again = await portcullis(`${PRUNE} --prove-again --json`)
      expect(again.err).to.match(/pruned, only key [0-9a-f]{8}: 1 to 4\.\nThese positions are proved again/)
      expect([again.status, JSON.parse(again.out).entries_deleted], again.err).to.deep.equal([0, 0])
      expect(await lastPruning(store)).to.include({ through: 4, entries: 4 })
      expect((await portcullis('doctor')).out).to.not.include('Not every key')
      const entries = await wholeLog(store)
      expect((await portcullis(`${PRUNE} --prove-again`)).status).to.equal(0)
      expect(await wholeLog(store), 'proved by each key').to.deep.equal(entries)

      settings(`2027:${NEXT_SECRET}`)
      expect(await verify(), 'with the new one alone').to.equal(0)
      expect(await doctor(portcullis)).to.deep.equal([])
    } finally {
      await remove()
    }
  })

  for (const option of ['', ' --prove-again'])
    it(`deletes and proves no present entry that only a former key names:${option || ' no option'}`, async () => {
      const { portcullis, keep, store, remove } = await prunedLog()
      try {
        await append(store, (await provedPruning(store, [6], SIGNER)).proof)
        const keys = [{ secret: NEXT_SECRET }, ...SIGNER.keys]
        const former = SIGNER.keys[0]?.secret
        keep('.env', `EVENT_LOG_KEY=2027:${NEXT_SECRET} 2026:${former}\nPUBLIC_URL=${SIGNER.publicUrl}\n`)
        await integrated(store, { ...SIGNER, keys })
        const before = await wholeLog(store)
        await portcullis('events export log')
        const pruned = await portcullis(`${PRUNE}${option} --json`)
        expect(pruned.status, pruned.err).to.equal(0)
        expect(JSON.parse(pruned.out)).to.include({ through: 4, entries_deleted: 0 })
        expect(pruned.err).to.match(/: 1 to 4\.\n/)
        const after = await wholeLog(store)
        expect(after.slice(0, before.length), 'position 6 stays').to.deep.equal(before)
        const added = after
          .slice(before.length)
          .map(({ data }) => 'proof' in data && data.proof.split('\n')[4])
        expect((await portcullis('events verify')).out).to.match(
          /Position 6 is present although LogPruned says/,
        )
        expect((await portcullis('doctor')).out).to.match(/Position 6 is present although LogPruned says/)
        expect(added).to.deep.equal(option === '' ? [] : ['0 4'])
      } finally {
        await remove()
      }
    })

  it('needs the key of the log: without it, nothing proves that an entry was pruned', async () => {
    const { portcullis, keep, remove } = await prunedLog()
    try {
      keep('.env', `PUBLIC_URL=${SIGNER.publicUrl}\n`)
      const [log] = await doctor(portcullis)
      expect(log).to.match(
        /^what was pruned cannot be proved: EVENT_LOG_KEY is not set, and only its signature proves/,
      )
      const verified = await portcullis('events verify')
      expect([verified.status, verified.out]).to.deep.equal([1, ''])
      expect((await portcullis(PRUNE)).err).to.match(/^No key signs checkpoints\. Set EVENT_LOG_KEY/)
    } finally {
      await remove()
    }
  })
})
