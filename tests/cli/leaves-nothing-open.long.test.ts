import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { ONE_SHOT_COMMANDS } from '../support/commands.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'

/** After a command, the process must exit by itself, so nothing may stay open. */
onEverySharedStore('a command that has ended', (stores) => {
  const { folder, portcullis, serve, url, remove } = stores.workplace()
  // The first service of a process opens resources that later ones share.
  before(async () => (await serve('serve --first-run')).end())
  after(remove)

  const count = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const name of [...names].sort()) counts.set(name, (counts.get(name) ?? 0) + 1)
    return counts
  }

  /** The open files of the store and of the folder. Only Linux lists them. */
  const openFiles = (): ReadonlyArray<string> => {
    if (process.platform !== 'linux') return []
    const places = [folder, url().replace(/^sqlite:/, '')]
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const path = readlinkSync(`/proc/self/fd/${fd}`)
        return places.some((place) => path.startsWith(place)) ? [path] : []
      } catch {
        return [] // the descriptor that read the folder
      }
    })
  }
  const held = () => ({
    files: openFiles(),
    resources: count(process.getActiveResourcesInfo()),
    listeners: count(
      process.eventNames().flatMap((name) => process.listeners(name as 'exit').map(() => String(name))),
    ),
  })

  const leavesNothing = async (use: () => Promise<void>): Promise<void> => {
    await setImmediate() // mocha sets the timer of a test after the test function returned
    const before = held()
    await use()
    // A connection disappears shortly after its close.
    await eventually('all is closed', async () => {
      const { resources } = held()
      return [...resources].every(([name, n]) => n <= (before.resources.get(name) ?? 0)) ? true : undefined
    })
    const { files, listeners } = held()
    expect({ files, listeners }).to.deep.equal({ files: [], listeners: before.listeners })
  }

  // One runs until it is stopped, and one closes the store for the others.
  for (const [command, rest] of ONE_SHOT_COMMANDS.filter(([name]) => !/^console$|^store copy$/.test(name))) {
    it(`leaves no file, connection, timer or listener open: ${command}`, () =>
      leavesNothing(async () => {
        const words = `${command}${rest}`.replace('copy.db', `${folder}/copy.db`)
        const { status } = await portcullis(words, { input: 'secret' })
        expect(status).to.be.oneOf([0, 1])
      }))
  }

  it('leaves no file, connection, timer or listener open: serve', () =>
    leavesNothing(async () => {
      const server = await serve('serve --first-run')
      await (await fetch(`${server.url}/healthz`)).text()
      expect(await server.end()).to.equal(0)
    }))

  it('leaves no file, connection, timer or listener open: console', () =>
    leavesNothing(async () => {
      const console = await serve('console', { READ_MODEL: `${folder}/model.db` }, 'http://')
      await (await fetch(console.printed().trim())).text()
      expect(await console.end()).to.equal(0)
    }))

  it('leaves no file, connection, timer or listener open: store copy', () =>
    leavesNothing(async () => {
      const { status } = await portcullis(`store copy sqlite:${folder}/moved.db`)
      expect(status).to.equal(0)
    }))
})
