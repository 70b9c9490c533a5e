import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { isSome, none, type Option } from 'fp-ts/lib/Option.js'
import { right } from 'fp-ts/lib/TaskEither.js'
import { compose, Dependency, memoryStore, provide, settings } from 'portcullis'

const made = settings({ DATABASE_URL: 'memory:', LOG_LEVEL: 'silent' })

describe('swapping adapters in a test', () => {
  it('takes fourteen lines, no file and no socket', async () => {
    const noHash = {
      hash: (password: string) => right({ record: `plain ${password}`, scheme: 'plain' }),
      verify: (password: string, record: Option<string>) =>
        right(isSome(record) && record.value === `plain ${password}`),
      verifyMs: () => none,
      assess: () => 'current' as const,
    }
    const hasher = provide(Dependency.passwordHasher, () => noHash)
    const storage = provide(Dependency.storage, () => ({ store: memoryStore() }))
    const service = await compose(made, storage, hasher)
    const asked = request({ createConnection: () => service.connect(), path: '/api/v1/profile' }).end()
    const [answer] = await once(asked, 'response')
    assert.equal(answer.statusCode, 401)
    await service.stop()
  })
})
