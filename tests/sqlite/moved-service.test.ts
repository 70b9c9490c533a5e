import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { compose } from '../../adapters/index.ts'
import { sqliteStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { ok, unavailable } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'

const PUBLIC_KEYS = '/.well-known/jwks.json'

describe('a service in a program whose store moves', () => {
  it(
    'answers 503 instead of reading what the store contained, and resolves storeClosed',
    onFile(async (path) => {
      const service = await compose(settings({ DATABASE_URL: `sqlite:${path}` }))
      const copy = sqliteStoreCopy(path)
      try {
        const statusOf = async (url: string) => (await service.inject({ url })).statusCode
        await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope: 'events:read' }))
        expect([await statusOf('/readyz'), await statusOf(PUBLIC_KEYS)]).to.deep.equal([200, 200])

        await ok(copy.lock({ id: 'a copy', place: 'elsewhere' }, async () => right(undefined)))
        expect(await service.storeClosed).to.deep.equal({
          state: 'moved',
          copyId: 'a copy',
          place: 'elsewhere',
        })
        await eventually('the cached keys are old', async () =>
          (await statusOf(PUBLIC_KEYS)) === 503 ? true : undefined,
        )
        const { statusCode, body } = await service.inject({ url: '/readyz' })
        expect([statusCode, JSON.parse(body).message]).to.deep.equal([
          503,
          'The store is not available now: the store has moved to elsewhere.',
        ])
        expect(await statusOf('/healthz')).to.equal(200)
        await unavailable(service.store.listUsers({ after: '', limit: 1 } as never))
      } finally {
        copy.close()
        await service.stop()
      }
    }),
  )
})
