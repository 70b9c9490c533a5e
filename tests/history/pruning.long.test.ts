import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { runsOf } from '../../domain/position-runs.ts'
import { parseProof } from '../../domain/pruning-proof.ts'
import { PRUNABLE_TYPES, prunableBefore } from '../../domain/retention.ts'
import { A_DAY_MS, DAYS, liveAYear } from '../support/a-year.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { integrated } from '../support/integration.ts'
import { ok } from '../testkit/outcome.ts'
import { doctor, place, SIGNER, sizeOf, wholeLog } from './pruned-workplace.ts'

const NOW = Date.now()
const BEFORE = new Date(NOW - 100 * A_DAY_MS).toISOString().slice(0, 10)

onEverySharedStore('the pruning of a year', (stores) => {
  /** A store with the history, and a workplace with checkpoints that were kept: the originals, which no test changes. */
  const original = place(() => url)
  let url = ''
  let log: ReadonlyArray<LogEntry>
  let prunable: ReadonlyArray<LogEntry>
  let lasting: ReadonlyArray<LogEntry>

  before(async function () {
    this.timeout(120_000)
    url = (await stores.fresh()).DATABASE_URL
    await withStore(url, async (store) => {
      await liveAYear(store, NOW, async (day) => {
        if (day !== 200 && day !== DAYS - 1) return
        await integrated(store, SIGNER)
        original.keep(`day-${day}.txt`, (await original.portcullis('events checkpoint')).out)
      })
      log = await wholeLog(store)
    })
    const isPrunable = prunableBefore(Date.parse(BEFORE))
    const isGone = new Set(log.filter((entry) => entry.at < BEFORE && isPrunable(entry)))
    prunable = [...isGone]
    lasting = log.filter((entry) => !isGone.has(entry))
    expect((await original.portcullis('events export log')).status).to.equal(0)
  })
  after(original.remove)

  const withStore = async <A>(at: string, look: (store: Store) => Promise<A>): Promise<A> => {
    const store = await stores.kind.openStore(at)
    try {
      return await look(store)
    } finally {
      await store.close()
    }
  }

  /** A copy of all that, which a test may change. */
  const copied = async () => {
    const { DATABASE_URL } = await stores.copyOf({ DATABASE_URL: url })
    const machine = place(() => DATABASE_URL)
    cpSync(original.folder, machine.folder, { recursive: true })
    const look = <A>(at: (store: Store) => Promise<A>) => withStore(DATABASE_URL, at)
    return { ...machine, look, url: DATABASE_URL }
  }
  type Copied = Awaited<ReturnType<typeof copied>>

  const onCopy = (test: (copy: Copied) => Promise<void>) =>
    async function (this: Mocha.Context): Promise<void> {
      this.timeout(120_000)
      const copy = await copied()
      try {
        await test(copy)
      } finally {
        await copy.remove()
      }
    }

  /** Doctor and the verification of the store with each kept checkpoint agree with everything. */
  const agrees = async ({ portcullis, folder }: Copied): Promise<void> => {
    expect(await doctor(portcullis)).to.deep.equal([])
    const kept = readdirSync(folder).filter((name) => name.endsWith('.txt'))
    const { status, out } = await portcullis(`events verify --against ${kept.join(' ')}`)
    expect(status, out).to.equal(0)
    expect(out.match(/^ok /gm)).to.have.lengthOf(kept.length + 1)
  }

  const prune = `events prune --before ${BEFORE} --exported log`

  /** The positions in the signed text of a `LogPruned`. */
  const removedBy = (entry: LogEntry | undefined) => {
    const note = entry?.type === 'LogPruned' ? entry.data.proof : ''
    return toUndefined(parseProof(`${note.split('\n\n')[0]}\n`))?.removed
  }

  it('has a history in which every prunable type and others are old', () => {
    const types = new Set(log.filter(({ at }) => at < BEFORE).map(({ type }) => type))
    const occurring = PRUNABLE_TYPES.filter((type) => types.has(type))
    expect(occurring).to.include.members(['UserSignedIn', 'UserSignedOut', 'ApplicationTokenIssued'])
    expect([...types]).to.include.members(['UserRegistered', 'PasswordChanged', 'ApplicationTokenRevoked'])
    expect(log.length).to.be.greaterThan(10_000)
    expect(prunable.length).to.be.greaterThan(log.length / 2)
    const others = lasting.filter(({ at }) => at < BEFORE)
    expect(others.map(({ type }) => type)).to.include('UserSignedIn', 'a session that had not expired')
  })

  it(
    'removes what has no effect, changes no row, and everything agrees before and after',
    onCopy(async (copy) => {
      const { portcullis, look } = copy
      await agrees(copy)
      const { log: _, ...rows } = await stores.kind.contents(copy.url)
      const sizeBefore = await sizeOf(stores.kind, copy, 'before.db')

      const pruned = await portcullis(`${prune} --json`, { environment: { OPERATOR: 'Ada Lovelace' } })
      expect(pruned.status, pruned.err).to.equal(0)
      const last = log.findLast(({ at }) => at < BEFORE)?.position
      const before = `${BEFORE}T00:00:00.000Z`
      expect(JSON.parse(pruned.out)).to.deep.equal({
        before,
        through: last,
        entries_deleted: prunable.length,
      })

      const entries = await look(wholeLog)
      expect(entries.slice(0, -1)).to.deep.equal(lasting)
      const pruning = entries.at(-1)
      expect(pruning).to.deep.include({
        position: log.length + 1,
        type: 'LogPruned',
        actor: { kind: 'operator', id: 'Ada Lovelace' },
      })
      expect(pruning?.data).to.include({ before, through: last, entries: prunable.length })
      expect(removedBy(pruning)).to.deep.equal(runsOf(prunable.map(({ position }) => position)))
      const { log: __, ...rowsAfter } = await stores.kind.contents(copy.url)
      expect(rowsAfter).to.deep.equal(rows)
      expect(await sizeOf(stores.kind, copy, 'after.db')).to.be.lessThan(0.7 * sizeBefore)
      await agrees(copy)

      await look((store) => integrated(store, SIGNER))
      copy.keep('after.txt', (await portcullis('events checkpoint')).out)
      await agrees(copy)
    }),
  )

  it(
    'does nothing more the second time, and goes on from there with a later date',
    onCopy(async (copy) => {
      const { portcullis, look } = copy
      await portcullis(prune)
      const again = await portcullis(`${prune} --json`)
      expect(again.status, again.err).to.equal(0)
      expect(JSON.parse(again.out)).to.include({ entries_deleted: 0 })
      expect(await look(wholeLog)).to.have.lengthOf(lasting.length + 1)

      await look((store) => integrated(store, SIGNER))
      await portcullis('events export log')
      const later = new Date(NOW - 30 * A_DAY_MS).toISOString().slice(0, 10)
      const further = await portcullis(`events prune --before ${later} --exported log --json`)
      expect(further.status, further.err).to.equal(0)
      const { through, entries_deleted } = JSON.parse(further.out)
      expect(entries_deleted).to.be.greaterThan(100)
      const positions = (await look(wholeLog)).map(({ position }) => position)
      const last = (await look(wholeLog)).at(-1)
      expect(last?.data).to.deep.include({ through, entries: prunable.length + entries_deleted })
      expect(positions.at(-1)).to.equal(log.length + 2)
      await agrees(copy)
    }),
  )

  it(
    'leaves an export that verifies, and continues only in that folder or in a copy of it',
    onCopy(async (copy) => {
      const { portcullis, folder, look } = copy
      const vkey = (await portcullis('events key')).out.trim()
      const verify = (from: string) =>
        portcullis(`events verify --from ${from} --vkey ${vkey} --against day-200.txt --json`)
      await portcullis(prune)
      expect((await verify('log')).status).to.equal(0)
      await look((store) => integrated(store, SIGNER))

      const fresh = await portcullis('events export other')
      expect(fresh).to.deep.include({ status: 1, out: '' })
      expect(fresh.err).to.match(/^Entries up to position \d+ were pruned, and the folder lacks them\./)

      const continued = await portcullis('events export log --json')
      expect(continued.status, continued.err).to.equal(0)
      const { out, status } = await verify('log')
      expect(status).to.equal(0)
      expect(JSON.parse(out)).to.include({ size: log.length + 1 })

      cpSync(join(folder, 'log'), join(folder, 'copy'), { recursive: true })
      rmSync(join(folder, 'copy', 'checkpoint'))
      const anew = await portcullis('events export copy')
      expect(anew.status, anew.err).to.equal(0)
      expect((await verify('copy')).status).to.equal(0)
    }),
  )

  it(
    'agrees with everything wherever it was killed, and continues',
    onCopy(async (copy) => {
      const { asProcess, look } = copy
      const goals = [0.02, 0.2, 0.4, 0.6, 0.9].map(
        (share) => prunable[Math.floor(share * prunable.length)]?.position ?? 0,
      )
      let killed = 0
      for (const goal of goals) {
        const { ended, end } = asProcess.begin(prune, '')
        let isOver = false
        void ended.then(() => {
          isOver = true
        })
        await look((store) =>
          eventually(`position ${goal} is pruned`, async () => {
            const [entry] = await ok(store.readEvents({ after: goal - 1, limit: 1 }))
            return isOver || entry?.position !== goal ? true : undefined
          }),
        )
        killed += (await end('SIGKILL')).status === null ? 1 : 0
        await agrees(copy)
      }
      expect(killed).to.be.greaterThan(1)
      const last = await asProcess.portcullis(`${prune} --json`)
      expect(last.status, last.err).to.equal(0)
      const entries = await look(wholeLog)
      expect(entries.map(({ position }) => position)).to.deep.equal([
        ...lasting.map(({ position }) => position),
        log.length + 1,
      ])
      await agrees(copy)
    }),
  )

  it(
    'survives a renewal that accepts a damaged tree: the hashes of pruned entries are taken over',
    onCopy(async (copy) => {
      const { portcullis, look } = copy
      await portcullis(prune)
      const schema = stores.kind.name === 'SQLite' ? '' : 'portcullis.'
      await stores.kind.spoil(copy.url, `DELETE FROM ${schema}tiles WHERE level = 1`)
      const [log, history] = await doctor(portcullis)
      expect(log, 'the tree has the roots of proofs').to.match(/^what was pruned cannot be proved: tile\//)
      expect(history).to.match(/^The log is damaged: tile\//)
      expect((await portcullis('events renew')).status).to.equal(0)
      await look(async (store) => {
        await integrated(store, SIGNER)
      })
      await agrees(copy)
    }),
  )

  const attacked = (of: string, position: () => number, finding: (position: number) => RegExp) =>
    it(
      `hides no ${of}`,
      onCopy(async (copy) => {
        const { portcullis, look } = copy
        if (of !== 'entry without LogPruned') await portcullis(prune)
        const at = position()
        await look(async (store) => expect(await positionsOf(store)).to.include(at))
        await stores.kind.spoil(
          copy.url,
          `DELETE FROM ${stores.kind.name === 'SQLite' ? '' : 'portcullis.'}log WHERE position = ${at}`,
        )
        const found = await doctor(portcullis)
        expect(found).to.have.lengthOf(2)
        for (const one of found) expect(one).to.match(finding(at))
        const verified = await portcullis('events verify')
        expect(verified.status).to.equal(1)
        const again = await portcullis(`events prune --before ${BEFORE} --exported log`)
        expect(again).to.deep.include({ status: 1, out: '' })
      }),
    )

  const positionsOf = async (store: Store) => (await wholeLog(store)).map(({ position }) => position)
  const positionOf = (type: string, isOld = true): number =>
    log.find((entry) => entry.type === type && entry.at < BEFORE === isOld)?.position ?? 0

  const isMissing = (position: number): RegExp =>
    new RegExp(
      `position ${position} is missing(: the next entry|, and no LogPruned that EVENT_LOG_KEY has signed)`,
    )

  attacked('entry without LogPruned', () => positionOf('SignInRefused'), isMissing)
  attacked('entry behind the pruned ones', () => positionOf('SignInRefused', false), isMissing)
  attacked(
    'missing entry of a type with a lasting effect',
    () => positionOf('ApplicationTokenRevoked'),
    isMissing,
  )
})
