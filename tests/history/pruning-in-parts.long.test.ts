import { expect } from 'chai'
import type { NewEntry } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import { A_DAY_MS } from '../support/a-year.ts'
import { integrated } from '../support/integration.ts'
import { append } from '../support/modelled-log.ts'
import { onSqlite } from '../support/one-store.ts'
import { newId } from '../testkit/builders.ts'
import { doctor, place, SIGNER, wholeLog } from './pruned-workplace.ts'

const OLD = new Date(Date.now() - 30 * A_DAY_MS).toISOString()
const BEFORE = new Date(Date.now() - 10 * A_DAY_MS).toISOString()

/** Every other entry stays, so that the text of the positions is as long as it can be. */
const PAIRS = 5_000

onSqlite('a pruning of more positions than one entry can name', (stores) => {
  const shared = stores.workplace()
  const machine = place(() => shared.url())
  after(async () => {
    await machine.remove()
    await shared.remove()
  })

  it('writes several LogPruned, and the store, its copy and its back-up agree with all of them', async function () {
    this.timeout(60_000)
    const sharedOf = () => ({ version: 1, id: newId(), at: OLD, subject: SERVICE }) as const
    const pairs = Array.from(
      { length: PAIRS },
      (): ReadonlyArray<NewEntry> => [
        { ...sharedOf(), type: 'UsersExported', actor: { kind: 'operator' }, data: { count: 1 } },
        {
          ...sharedOf(),
          type: 'SignInRefused',
          actor: { kind: 'nobody' },
          data: { reason: 'unknown_email' },
        },
      ],
    )
    await shared.withStore(async (store) => {
      await append(store, ...pairs.flat())
      await append(store, ...(pairs[0] ?? []).map((entry) => ({ ...entry, id: newId(), at: BEFORE })))
      await integrated(store, SIGNER)
    })
    expect((await machine.portcullis('events export log')).status).to.equal(0)
    const pruned = await machine.portcullis(`events prune --before ${BEFORE} --exported log --json`)
    expect(pruned.status, pruned.err).to.equal(0)
    expect(JSON.parse(pruned.out)).to.include({ entries_deleted: PAIRS, through: 2 * PAIRS })
    const entries = await shared.withStore(wholeLog)
    const prunings = entries.flatMap((entry) => (entry.type === 'LogPruned' ? [entry.data] : []))
    expect(prunings.length).to.equal(2)
    expect(prunings.map(({ through }) => through)).to.deep.equal([2 * PAIRS, 2 * PAIRS])
    expect(prunings.at(-1)).to.include({ entries: PAIRS })
    for (const { proof } of prunings) expect(proof.length).to.be.below(16_500)
    await shared.withStore((store) => integrated(store, SIGNER))
    expect(await doctor(machine.portcullis)).to.deep.equal([])

    expect((await machine.portcullis('backup copied.db')).status).to.equal(0)
    const copied = await machine.portcullis('store copy sqlite:moved.db')
    expect(copied.status, copied.err).to.equal(0)
    for (const DATABASE_URL of ['sqlite:copied.db', 'sqlite:moved.db']) {
      const verified = await machine.portcullis('events verify', { environment: { DATABASE_URL } })
      expect(verified.status, verified.err + verified.out).to.equal(0)
    }
  })
})
