import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { publishedLog } from '../../application/log/published-log.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { integrated } from '../support/integration.ts'
import type { SharedWorkplace } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'

const SECRET = 'e'.repeat(64)
const PUBLIC_URL = 'https://id.example.com'
const SETTINGS = { PUBLIC_URL, EVENT_LOG_KEY: `2026:${SECRET}` }
const SIGNER = { keys: [{ secret: SECRET }], publicUrl: PUBLIC_URL }

/** A store that was restored from a copy, with the copy's age of two entries. */
const restoredStore = ({ folder, database, portcullis, withStore }: SharedWorkplace) => {
  const run = (words: string) => portcullis(words, { environment: SETTINGS })
  return {
    folder,
    database,
    run,
    /** Creates applications: an entry each. */
    create: async (...names: ReadonlyArray<string>): Promise<void> => {
      for (const name of names) {
        const { status, err } = await run(`application create --name ${name}`)
        expect(status, err).to.equal(0)
      }
    },
    /** Does what a running service does within a second. */
    sign: () => withStore((store) => integrated(store, SIGNER)),
    /** The checkpoint that a service serves, or ''. */
    published: () =>
      withStore(async (store) => {
        const log = treeOf(store)
        if (log === undefined) throw new Error('the store has no tree')
        const note = await succeed(publishedLog({ log, publicUrl: PUBLIC_URL }).checkpoint)
        return isSome(note) ? note.value : ''
      }),
    keep: async (): Promise<string> => {
      const { out } = await run('events checkpoint')
      writeFileSync(join(folder, 'kept.txt'), out)
      return out
    },
    /** What `events verify` says of the log, and of the kept checkpoint. */
    verify: async () => {
      const { out } = await run('events verify --against kept.txt --json')
      const { findings, checkpoints } = JSON.parse(out)
      return {
        findings,
        kept: checkpoints[0].detail.replace(/ the log has only \d+ /, ' the log has only N '),
      }
    },
  }
}

const originOf = (note: string): string => note.split('\n')[0] ?? ''

const LOST = (size: number) =>
  `It covers ${size} entries, and the log has only N of that history: entries were lost.`
const CHANGED = (size: number) =>
  `The first ${size} entries are not the ones that it covers: the log was changed.`

onEverySharedStore('a store that was restored', (stores) => {
  const place = stores.workplace()
  after(place.remove)
  const { run, create, sign, published, keep, verify } = restoredStore(place)
  const isSqlite = stores.kind.name === 'SQLite'

  /** Yesterday's rows are kept beside, and put back without a sign: as a file, or as all rows of the log and its tree. */
  const yesterday = async (): Promise<void> => {
    if (isSqlite) copyFileSync(pathOf(place.url()), `${pathOf(place.url())}.yesterday`)
    else
      await stores.kind.spoil(
        place.url(),
        ...['log', 'head', 'tree', 'tiles', 'applications'].map(
          (table) => `CREATE TABLE old_${table} AS TABLE ${table}`,
        ),
      )
  }
  const restore = async (): Promise<void> => {
    const path = pathOf(place.url())
    if (isSqlite) {
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
      copyFileSync(`${path}.yesterday`, path)
    } else
      for (const table of ['log', 'head', 'tree', 'tiles', 'applications'])
        await stores.kind.spoil(
          place.url(),
          `DELETE FROM ${table}`,
          `INSERT INTO ${table} SELECT * FROM old_${table}`,
        )
  }
  const pathOf = (url: string): string => url.slice('sqlite:'.length)

  it('goes on under the same origin, and only a kept checkpoint tells; a renewal changes the origin', async () => {
    await create('one', 'two', 'three')
    await sign()
    await yesterday()
    await create('four', 'five')
    await sign()
    const kept = await keep()
    const [, size] = kept.split('\n').map(Number)
    expect(await verify()).to.deep.equal({ findings: [], kept: `The first ${size} entries are unchanged.` })

    await restore()
    await sign()
    expect(await verify()).to.deep.equal({ findings: [], kept: LOST(size ?? 0) })
    await create('six', 'seven', 'eight')
    await sign()
    expect(originOf(await published()), 'a second log of the same name').to.equal(originOf(kept))
    expect(await verify()).to.deep.equal({ findings: [], kept: CHANGED(size ?? 0) })
    const { checks } = JSON.parse((await run('doctor --json')).out)
    expect(checks.find(({ name }: { name: string }) => name === 'history')).to.include({ ok: true })

    await restore()
    expect((await run('events renew')).status).to.equal(0)
    expect(await published(), 'the checkpoint of the earlier epoch').to.equal('')
    await create('six', 'seven', 'eight')
    await sign()
    expect(originOf(await published())).to.match(/^id\.example\.com\/api\/v1\/log\//)
    expect(originOf(await published())).not.to.equal(originOf(kept))
    expect(await verify()).to.deep.equal({ findings: [], kept: LOST(size ?? 0) })
  })
})

onEverySharedStore('a store that continues from a copy which is known to be one', (stores) => {
  const place = stores.workplace()
  after(place.remove)
  const { create, sign, published, keep, verify } = restoredStore(place)

  it('signs the same log until it is written, and then one of a new origin', async () => {
    await create('one', 'two', 'three')
    await sign()
    const before = await published()
    await create('four')
    const kept = await keep()
    if (stores.kind.name === 'SQLite') {
      const path = place.url().slice('sqlite:'.length)
      const copied = await place.portcullis(`backup ${join(place.folder, 'copy.db')}`, {
        environment: SETTINGS,
      })
      expect(copied.status, copied.err).to.equal(0)
      await create('five')
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
      copyFileSync(join(place.folder, 'copy.db'), path)
    } else
      await stores.kind.spoil(
        place.url(),
        // As pg_restore leaves it on the same server: the table is another one.
        'UPDATE head SET table_id = 1',
      )

    expect(await published()).to.equal(before)
    await sign() // a log of the same entries
    expect(await published()).to.equal(kept)
    await create('six')
    expect(await published(), 'the checkpoint of the earlier epoch').to.equal('')
    await sign()
    const [origin, entries] = (await published()).split('\n')
    expect(origin).not.to.equal(originOf(kept))
    expect(Number(entries)).to.be.greaterThan(Number(kept.split('\n')[1]))
    expect(await verify()).to.deep.equal({
      findings: [],
      kept: `The first ${kept.split('\n')[1]} entries are unchanged.`,
    })
  })
})
