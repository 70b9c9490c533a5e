import { once } from 'node:events'
import { request } from 'node:http'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/TaskEither.js'
import { compose, memoryStore, Part, provide } from '../../adapters/composition.ts'
import { settings } from '../support/settings.ts'

describe('swapping adapters in a test', () => {
  it('takes twelve lines, no file and no socket', async () => {
    const noHash = {
      hash: (password: string) => right(`plain ${password}`),
      verify: (password: string, record: object) =>
        right(Object.values(record).includes(`plain ${password}`)),
      assess: () => 'current' as const,
    }
    const hasher = provide(Part.passwordHasher, () => noHash)
    const service = await compose(settings(), provide(Part.store, memoryStore), hasher)
    const asked = request({ createConnection: () => service.connect(), path: '/api/v1/profile' }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).to.equal(401)
    await service.stop()
  })
})
