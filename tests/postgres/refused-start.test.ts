import { expect } from 'chai'
import { compose } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { settings } from '../support/settings.ts'
import { describeOnPostgres, onEmpty } from './database.ts'

const KEY_ENCRYPTION_KEY = `one:${'a'.repeat(32)}`

describeOnPostgres('a service whose signing keys are unreadable', (server) => {
  it(
    'leaves no connection open that would keep its process alive',
    onEmpty(server, async ({ url, name }) => {
      const environment = { DATABASE_URL: url, DATABASE_DIRECT_URL: url }
      await (await compose(settings({ ...environment, KEY_ENCRYPTION_KEY }))).stop()
      const refused = await compose(settings(environment)).then(
        () => 'it was not refused',
        ({ message }: Error) => message,
      )
      expect(refused).to.match(/^The signing keys cannot be read: /)
      await eventually('no connection', async () => {
        const connected = await server.ask(`SELECT 1 FROM pg_stat_activity WHERE datname = '${name}'`)
        return connected.length === 0 ? true : undefined
      })
    }),
  )
})

describeOnPostgres('a service that cannot open its database', (server) => {
  it(
    'does not listen for announcements, which would keep its process alive',
    onEmpty(server, async ({ url, name }) => {
      const environment = { DATABASE_URL: url.replace(/\w+$/, 'nowhere'), DATABASE_DIRECT_URL: url }
      const refused = await compose(settings(environment)).then(
        () => 'it was not refused',
        ({ message }: Error) => message,
      )
      expect(refused).to.match(/no database has this name/)
      const connected = await server.ask(`SELECT 1 FROM pg_stat_activity WHERE datname = '${name}'`)
      expect(connected).to.deep.equal([])
    }),
  )
})
