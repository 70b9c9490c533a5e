import { announceKeys, postgresAnnouncements } from '../../adapters/stores/postgres/announcements.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import { postgres } from '../support/postgres.ts'
import { announcementsContract } from '../testkit/announcements.ts'
import { ANNOUNCEMENTS_MUTATIONS, announcementsInMemory } from './broken/announcements-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

const server = postgres
if (server !== undefined)
  describe('the contract of Announcements, kept by PostgreSQL', () =>
    announcementsContract({ describe, it }, async () => {
      const { url, drop } = await server.newDatabase()
      const connections = connectionsTo(url, 1)
      return {
        /** An announcement arrives once when listening starts. */
        listen: () =>
          new Promise((resolve) => {
            const announcements = postgresAnnouncements(url)
            announcements.onKeysChanged(() => resolve(announcements))
          }),
        announce: async () => announceKeys(connections),
        close: async () => {
          await connections.close()
          await drop()
        },
      }
    }))

describe('the contract of Announcements is a contract', () =>
  catchesMutations<Announcements>(
    (runner, mutate) => announcementsContract(runner, async () => announcementsInMemory(mutate)),
    ANNOUNCEMENTS_MUTATIONS,
  ))
