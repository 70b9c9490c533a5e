import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import {
  announceKeys,
  notificationProblem,
  postgresAnnouncements,
} from '../../adapters/stores/postgres/announcements.ts'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { aKey, aSession, change, createdKey, issuedToken, signedIn } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onLine } from './line.ts'

if (postgres !== undefined) {
  describe('announcements from PostgreSQL', () => {
    it(
      'report that keys were written, and nothing else',
      onLine(async ({ connections, direct }) => {
        const store = postgresStore(connections, { onKeysChanged: () => announceKeys(connections) })
        const { announcements, heard } = listening(direct)
        await heard.moreThan(0)
        await commitAll(store, change(issuedToken()), change(signedIn(aSession())))
        await commitAll(store, change(createdKey(aKey())))
        await heard.moreThan(1)
        expect(heard.times()).to.equal(2)
        await announcements.close()
      }),
    )

    for (const how of ['ended', 'reset'] as const)
      it(
        `continue after the connection was cut (${how}), and the reconnection counts as an announcement`,
        onLine(async ({ connections, proxy, direct }) => {
          const { announcements, heard } = listening(proxy.url(direct))
          await heard.moreThan(0)
          for (let time = 1; time <= 3; time += 1) {
            const before = heard.times()
            proxy.cut(how)
            await heard.moreThan(before)
          }
          const before = heard.times()
          announceKeys(connections)
          await heard.moreThan(before)
          await announcements.close()
        }),
      )

    it(
      'stop on request while the server is silent',
      onLine(async ({ proxy, direct }) => {
        const { announcements } = listening(proxy.url(direct))
        const letGo = await proxy.next(/LISTEN/, 'held')
        await announcements.close()
        letGo()
        await eventually('the connection has ended', async () => proxy.open() === 0 || undefined)
      }),
    )

    it(
      'close their connection when they stop, also if the server does not receive the termination message',
      onLine(async ({ proxy, direct }) => {
        const { announcements, heard } = listening(proxy.url(direct))
        await heard.moreThan(0)
        const ofOneConnection = openSockets()
        proxy.silence()
        await announcements.close()
        await eventually('it is closed', async () => openSockets() < ofOneConnection || undefined)
        proxy.resume()
      }),
    )

    it('log one warning while the server is away, despite many attempts', async () => {
      const attempts = { made: 0 }
      const away = createServer((socket) => {
        attempts.made += 1
        socket.destroy()
      }).listen(0, '127.0.0.1')
      await once(away, 'listening')
      const warnings: Array<Error> = []
      const keep = (warning: Error) => warnings.push(warning)
      process.on('warning', keep)
      const address = away.address()
      const port = typeof address === 'object' ? address?.port : 0
      const reported: Array<string | undefined> = []
      const announcements = postgresAnnouncements(`postgres://nobody@127.0.0.1:${port}/nothing`, {
        onStateChange: (reason) => reported.push(reason),
        pausesMs: { first: 1, longest: 1 },
      })
      await eventually('many attempts', async () => attempts.made > 15 || undefined)
      await announcements.close()
      await new Promise(setImmediate)
      process.off('warning', keep)
      away.close()
      expect(warnings).to.deep.equal([])
      expect(reported, 'one warning').to.have.lengthOf(1)
    })
  })
}

if (postgres !== undefined) {
  describe('announcements from a primary and a standby', function () {
    this.timeout(60_000)
    let primary: PostgresServer
    let standby: PostgresServer
    let ofPrimary: string
    let away: number
    before(async () => {
      primary = await startPostgresServer()
      ofPrimary = (await primary.newDatabase()).url
      standby = await primary.standby()
      away = await freePort()
    })
    after(() => primary?.remove())

    const at = (...ports: ReadonlyArray<number>): string =>
      ofPrimary.replace(`127.0.0.1:${primary.port}`, ports.map((port) => `127.0.0.1:${port}`).join())

    const onConnections = async (port: number, test: (connections: Connections) => Promise<void>) => {
      const connections = connectionsTo(at(port), 1)
      try {
        await test(connections)
      } finally {
        await connections.close()
      }
    }

    it('arrive from the primary if a standby and a host without a server are named first', () =>
      onConnections(primary.port, async (connections) => {
        const url = `${at(away, standby.port, primary.port)}?target_session_attrs=read-write`
        const { announcements, heard, reported } = listening(url)
        await heard.moreThan(0)
        announceKeys(connections)
        await heard.moreThan(1)
        await announcements.close()
        expect(reported).to.deep.equal([])
        expect(await notificationProblem(connections, url)).to.equal(undefined)
      }))

    it('fail with the reason of each host, without the password', () =>
      onConnections(primary.port, async (connections) => {
        const url = at(away, standby.port)
        const reason = `127.0.0.1:${away}: ECONNREFUSED, 127.0.0.1:${standby.port}: the connection leads to a standby`
        expect(await notificationProblem(connections, url)).to.equal(reason)
        const { announcements, reported } = listening(url)
        await eventually('it is reported', async () => reported.length > 0 || undefined)
        await announcements.close()
        expect(reported).to.deep.equal([reason])
      }))

    it('arrive from the new primary after a promotion', async () => {
      const { announcements, heard, reported } = listening(at(primary.port, standby.port))
      await heard.moreThan(0)
      const before = heard.times()
      await primary.stop()
      await standby.ask('SELECT pg_promote()')
      await heard.moreThan(before)
      const afterwards = heard.times()
      await onConnections(standby.port, async (connections) => {
        announceKeys(connections)
        await heard.moreThan(afterwards)
      })
      await announcements.close()
      expect(reported.at(-1)).to.equal(undefined)
    })
  })
}

const listening = (url: string) => {
  const reported: Array<string | undefined> = []
  const announcements: Announcements = postgresAnnouncements(url, {
    onStateChange: (reason) => reported.push(reason),
  })
  let times = 0
  announcements.onKeysChanged(() => {
    times += 1
  })
  const moreThan = (before: number) =>
    eventually('an announcement arrives', async () => times > before || undefined)
  return { announcements, reported, heard: { times: () => times, moreThan } }
}

/** The number of connections in this process, with both ends counted. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
