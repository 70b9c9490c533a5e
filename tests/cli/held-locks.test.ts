import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { ONE_SHOT_COMMANDS } from '../support/commands.ts'
import { holdsSharedLock, LISTS_LOCKS } from '../support/held-locks.ts'
import { onSqlite } from '../support/one-store.ts'

/** Whether the process held its lock on a file when it closed each connection to it. Then it also held it before. */
const locksAtClose = async (path: string, use: () => Promise<unknown>): Promise<ReadonlyArray<boolean>> => {
  const { close } = Database.prototype
  const held: Array<boolean> = []
  Database.prototype.close = function (this: Database.Database) {
    if (this.open && this.name === path) held.push(holdsSharedLock(process.pid, statSync(path).ino))
    return close.call(this)
  }
  try {
    await use()
  } finally {
    Database.prototype.close = close
  }
  return held
}

/** Another program may have the file open at the same time. Without the lock, it would delete the write-ahead log in use. */
onSqlite('the lock of a command on its SQLite store', (stores) => {
  const { folder, portcullis, serve, url, remove } = stores.workplace()
  before(async function () {
    if (!LISTS_LOCKS) this.skip()
    await portcullis('application create --name shop')
  })
  after(remove)
  const path = () => url().replace(/^sqlite:/, '')

  // One runs until it is stopped, and one closes the store for the others.
  for (const [command, rest] of ONE_SHOT_COMMANDS.filter(([name]) => !/^console$|^store copy$/.test(name)))
    it(`lasts until it closes the store: ${command}`, async () => {
      const words = `${command}${rest}`.replace('copy.db', `${folder}/copy.db`)
      const held = await locksAtClose(path(), () => portcullis(words, { input: 'secret' }))
      expect(held).to.not.be.empty.and.not.include(false)
    })

  it('lasts until it closes the store: serve', async () => {
    const held = await locksAtClose(path(), async () => {
      const server = await serve('serve --first-run')
      await (await fetch(`${server.url}/readyz`)).text()
      expect(holdsSharedLock(process.pid, statSync(path()).ino)).to.equal(true)
      await server.end()
    })
    expect(held.length).to.be.greaterThan(1)
    expect(held).to.not.include(false)
  })

  it('lasts until it closes the store: store copy', async () => {
    const held = await locksAtClose(path(), () => portcullis(`store copy sqlite:${folder}/moved.db`))
    expect(held.length).to.be.greaterThan(1)
    expect(held).to.not.include(false)
  })
})
