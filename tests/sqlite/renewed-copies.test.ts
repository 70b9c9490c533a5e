import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { backUpSqlite } from '../../adapters/stores/sqlite/back-up.ts'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { AT, change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, ok, refused, tally, wholeLog } from '../testkit/outcome.ts'
import { inFolder } from './folder.ts'

/** A test with an open store of two entries, and a back-up of it. */
const withBackUp = (test: (store: Store, copy: string, epoch: string) => Promise<void>) =>
  inFolder(async (folder) => {
    const path = join(folder, 'store.db')
    const store = sqliteStore(path)
    await commitAll(store, change(issuedToken(), issuedToken()))
    backUpSqlite(path, join(folder, 'copy.db'))
    await test(store, join(folder, 'copy.db'), await ok(store.readEpoch()))
    await store.close()
  })

const renewalsIn = async (store: Store) => (await wholeLog(store)).filter(({ type }) => type === 'LogRenewed')

describe('a store on a back-up', () => {
  it(
    'starts a new epoch in the transaction of its first write, and logs it',
    withBackUp(async (original, copy, epoch) => {
      const store = sqliteStore(copy)
      const first = change(issuedToken())
      await commitAll(store, first, change(issuedToken()))
      expect(await ok(store.readEpoch()))
        .to.match(/^[0-9a-f]{8}$/)
        .and.not.equal(epoch)
      const log = await wholeLog(store)
      expect(log.map(({ type }) => type)).to.deep.equal([
        'ApplicationTokenIssued',
        'ApplicationTokenIssued',
        'LogRenewed',
        'ApplicationTokenIssued',
        'ApplicationTokenIssued',
      ])
      expect(log[3]?.id).to.equal(first.id)
      expect(log[2]).to.deep.include({
        subject: { kind: 'service', id: 'portcullis' },
        actor: { kind: 'nobody' },
        at: AT,
        data: { previous_origin: epoch, size: 2 },
      })
      await store.close()
      await commitAll(original, change(issuedToken()))
      expect(await ok(original.readEpoch()), 'the store that was copied').to.equal(epoch)
      expect(await renewalsIn(original)).to.deep.equal([])
    }),
  )

  it(
    'starts it also before a change that waits behind a deletion of expired rows',
    withBackUp(async (_, copy, epoch) => {
      const store = sqliteStore(copy)
      const deleting = store.deleteExpired({ table: 'sessions', beforeSeconds: 0, limit: 1 })()
      const committing = store.commit(change(issuedToken()))()
      expect(await Promise.all([deleting, committing])).to.deep.equal([right(0), right(undefined)])
      expect(await ok(store.readEpoch())).to.not.equal(epoch)
      expect((await wholeLog(store)).map(({ type }) => type).slice(2)).to.deep.equal([
        'LogRenewed',
        'ApplicationTokenIssued',
      ])
      await store.close()
    }),
  )

  it(
    'keeps its epoch while it is only read',
    withBackUp(async (_, copy, epoch) => {
      inspectSqlite(copy)
      for (const opening of ['read-only', 'migrate', 'migrate'] as const) {
        const store = sqliteStore(copy, { opening })
        expect(await ok(store.readEpoch())).to.equal(epoch)
        expect(await wholeLog(store)).to.have.length(2)
        await store.close()
      }
    }),
  )

  it(
    'renews its epoch once for all writers, also when the first change is refused',
    withBackUp(async (_, copy, epoch) => {
      const handles = [sqliteStore(copy), sqliteStore(copy)] as const
      const stale = change(registered())
      const conflicting = {
        ...stale,
        rows: stale.rows.map((row) => ({ ...row, row: { ...row.row, version: 7 } }) as typeof row),
      }
      await refused(handles[0].commit(conflicting), { _tag: 'Conflict' })
      for (const handle of handles)
        expect(
          tally(await commitAtOnce(handle, [change(issuedToken()), change(issuedToken())])),
        ).to.deep.equal({
          success: 2,
        })
      expect(await renewalsIn(handles[0])).to.have.length(1)
      expect(await ok(handles[1].readEpoch())).not.to.equal(epoch)
      for (const handle of handles) await handle.close()
    }),
  )

  it(
    'renews its epoch again with the command, and not twice when the command runs first',
    withBackUp(async (_, copy, epoch) => {
      const store = sqliteStore(copy)
      const renewed = await ok(store.renewEpoch((ended) => change({ _tag: 'LogRenewed', ended }).events[0]))
      await commitAll(store, change(issuedToken()))
      expect(await ok(store.readEpoch()))
        .to.equal(renewed)
        .and.not.equal(epoch)
      expect(await renewalsIn(store)).to.have.length(1)
      await store.close()
    }),
  )

  it(
    'and a back-up of it are three separate logs',
    withBackUp(async (original, copy) => {
      const store = sqliteStore(copy)
      await commitAll(store, change(issuedToken()))
      backUpSqlite(copy, `${copy}-2`)
      const third = sqliteStore(`${copy}-2`)
      await commitAll(third, change(issuedToken()))
      const epochs = await Promise.all([original, store, third].map((one) => ok(one.readEpoch())))
      expect(new Set(epochs).size).to.equal(3)
      expect(await renewalsIn(third)).to.have.length(2)
      await third.close()
      await store.close()
    }),
  )

  it(
    'keeps the epoch of the original if it is a raw copy of the file',
    inFolder(async (folder) => {
      const path = join(folder, 'store.db')
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      const epoch = await ok(store.readEpoch())
      await store.close()
      copyFileSync(path, `${path}-raw`)
      const copied = sqliteStore(`${path}-raw`)
      await commitAll(copied, change(issuedToken()))
      expect(await ok(copied.readEpoch())).to.equal(epoch)
      await copied.close()
    }),
  )
})
