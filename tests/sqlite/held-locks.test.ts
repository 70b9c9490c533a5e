import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteReadModel } from '../../adapters/stores/sqlite/read-model.ts'
import { sqlite } from '../../adapters/stores/sqlite/sqlite.ts'
import type { Storage } from '../../application/ports/storage.ts'
import { holdsSharedLock, LISTS_LOCKS } from '../support/held-locks.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { countOne } from '../testkit/failure-counts/steps.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { inFolder } from './folder.ts'

type Place = Readonly<{ path: string; storage: Storage; folder: string }>

const OPTIONS = {
  clock: Date.now,
  onCommitted: () => {},
  onServerRefused: () => {},
  countsOpen: 'when needed',
} as const

const opened = (path: string, opening: 'migrate' | 'existing' | 'read-only') =>
  sqlite(path).open({ ...OPTIONS, opening })

const NOTE = {
  id: '01a20174-df88-73a9-824c-e68568364965',
  name: 'a',
  startedAt: 1,
  seenAt: 1,
  settings: {},
}

/** What a process does with the file while it has the store open. */
const WORK: Readonly<Record<string, (place: Place) => unknown>> = {
  'opens the store': () => {},
  'commits a change': ({ storage }) => commitAll(storage.store, change(issuedToken())),
  'counts a failure': ({ storage }) => storage.failureCounts && ok(countOne(storage.failureCounts, 'a')),
  'writes and reads notes of servers': async ({ storage }) => {
    if (storage.serverNotes === undefined) throw new Error('no notes')
    await ok(storage.serverNotes.write(NOTE))
    await ok(storage.serverNotes.list)
  },
  'reads what a copy would take': ({ storage }) => storage.storeCopy && ok(storage.storeCopy.readContents()),
  'opens and closes the store again': async ({ path }) => (await opened(path, 'existing')).store.close(),
  'reads the store': async ({ path }) => (await opened(path, 'read-only')).store.close(),
  'inspects the file': ({ path }) => sqlite(path).inspect(),
  'backs it up': ({ path, folder }) => sqlite(path).backUp(join(folder, 'copy.db')),
  'takes it for its read model': ({ path }) =>
    expect(() => sqliteReadModel(path)).to.throw('not a read model'),
}

/** POSIX drops all locks of a process on a file when the process closes any of its handles. Other processes then believe that it is unused. */
describe('a process that has a SQLite store open keeps its lock on the file', () => {
  for (const [what, work] of Object.entries(WORK))
    it(
      `when it ${what}`,
      inFolder(async (folder) => {
        if (!LISTS_LOCKS) return
        const path = join(folder, 'store.db')
        const storage = await opened(path, 'migrate')
        await work({ path, storage, folder })
        expect(holdsSharedLock(process.pid, statSync(path).ino)).to.equal(true)
        await storage.failureCounts?.close()
        await storage.store.close()
        expect(holdsSharedLock(process.pid, statSync(path).ino)).to.equal(false)
      }),
    )

  it(
    'when it opens the same read model twice',
    inFolder(async (folder) => {
      if (!LISTS_LOCKS) return
      const path = join(folder, 'a.read-model')
      const [first, second] = [sqliteReadModel(path), sqliteReadModel(path)]
      await second.close()
      expect(holdsSharedLock(process.pid, statSync(path).ino)).to.equal(true)
      await first.close()
    }),
  )
})
