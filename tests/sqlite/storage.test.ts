import { existsSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { composition } from '../../adapters/composition/compose.ts'
import { compose, composeOperations, openStorage, type Service } from '../../adapters/index.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { countOne, NOW } from '../testkit/failure-counts/steps.ts'
import { inFolder, onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const REFUSED =
  /^The database [^\n]+ cannot be used: its failure counts cannot be opened \(SQLITE_ERROR\)\. Restore it from a back-up\.$/

const settingsOn = (path: string) => settings({ DATABASE_URL: `sqlite:${path}` })
const openOn = (path: string, countsOpen?: 'at start' | 'when needed') =>
  openStorage(settingsOn(path), { clock: () => NOW, ...(countsOpen === undefined ? {} : { countsOpen }) })

/** Makes a store whose failure counts cannot be opened, with a connection that fails alone. */
const spoilCounts = async (path: string): Promise<void> => {
  await (await openOn(path, 'when needed')).store.close()
  withRaw(path, (db) => db.exec('ALTER TABLE failure_counts RENAME COLUMN count TO counted'))
}

const messageOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'no error',
    (error) => error.message,
  )

describe('the failure counts of a service on a SQLite file', () => {
  it(
    'have opened the file at the start, so that the first failure opens none',
    inFolder(async (folder) => {
      const path = join(folder, 'store.db')
      const service: Service = await compose(settingsOn(path))
      try {
        for (const file of readdirSync(folder)) renameSync(join(folder, file), join(folder, `moved-${file}`))
        const authorization = 'Bearer nonsense'
        await service.inject({ url: '/api/v1/profile', headers: { authorization } })
        expect(readdirSync(folder).filter((file) => !file.startsWith('moved-'))).to.deep.equal([])
      } finally {
        await service.stop()
      }
    }),
  )

  it(
    'stop the start if they cannot be opened, and close the store',
    onFile(async (path) => {
      await spoilCounts(path)
      for (const starting of [() => compose(settingsOn(path)), () => openOn(path)]) {
        expect(await messageOf(starting())).to.match(REFUSED)
        expect(existsSync(`${path}-wal`)).to.equal(false)
      }
    }),
  )

  it(
    'are not opened by a command before it counts',
    onFile(async (path) => {
      await spoilCounts(path)
      const composing = [
        () => composeOperations(settingsOn(path)),
        () => composition.composeOperations(settingsOn(path), 'existing'),
      ]
      for (const compose of composing) {
        const operations = await compose()
        await succeed(operations.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }))
        await operations.close()
      }
      const { store, failureCounts } = await openOn(path, 'when needed')
      if (failureCounts === undefined) throw new Error('no counts')
      expect((await fail(countOne(failureCounts, 'key'))).reason).to.match(REFUSED)
      await failureCounts.close()
      await store.close()
      expect(readdirSync(dirname(path)).filter((file) => file.endsWith('-wal'))).to.deep.equal([])
    }),
  )
})
