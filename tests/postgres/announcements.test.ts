import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { announceKeys, postgresAnnouncements } from '../../adapters/driven/postgres/announcements.ts'
import { postgresStore } from '../../adapters/driven/postgres/store.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { aKey, aSession, change, createdKey, issuedToken, signedIn } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onLine } from './line.ts'

if (postgres !== undefined) {
  describe('the announcements that PostgreSQL passes on', () => {
    it(
      'tell that keys were written, and of nothing else',
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
        `are heard again after the connection was cut (${how}), and what was said meanwhile counts as heard`,
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
      'are heard as soon as there is a server',
      onLine(async ({ proxy, direct }) => {
        proxy.silence()
        const { announcements, heard } = listening(proxy.url(direct))
        await eventually('it is tried', async () => proxy.open() > 0 || undefined)
        expect(heard.times()).to.equal(0)
        proxy.resume()
        await heard.moreThan(0)
        await announcements.close()
      }),
    )

    it(
      'end when they are told to, although the server says nothing',
      onLine(async ({ proxy, direct }) => {
        const { announcements } = listening(proxy.url(direct))
        const letGo = await proxy.next(/LISTEN/, 'held')
        await announcements.close()
        letGo()
        await eventually('the connection has ended', async () => proxy.open() === 0 || undefined)
      }),
    )

    it(
      'keep no connection open when they have ended, although the server does not hear the goodbye',
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

    it('warn nobody while the server is away, however often they try', async () => {
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
      await eventually('it is tried often', async () => attempts.made > 15 || undefined)
      await announcements.close()
      await new Promise(setImmediate)
      process.off('warning', keep)
      away.close()
      expect(warnings).to.deep.equal([])
      expect(reported, 'and it is said once').to.have.lengthOf(1)
    })
  })
}

const listening = (url: string) => {
  const announcements: Announcements = postgresAnnouncements(url)
  let times = 0
  announcements.onKeysChanged(() => {
    times += 1
  })
  const moreThan = (before: number) => eventually('it is heard', async () => times > before || undefined)
  return { announcements, heard: { times: () => times, moreThan } }
}

/** How many connections this process has, of both ends. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
