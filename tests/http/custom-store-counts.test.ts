import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { startService } from '../support/running-service.ts'

describe('a service on a custom store', () => {
  it('creates no database for failure counts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-custom-'))
    const path = join(folder, 'portcullis.db')
    const service = await startService(
      { DATABASE_URL: `sqlite:${path}` },
      provide(Dependency.storage, () => ({ store: memoryStore() })),
    )
    try {
      await service.send({ method: 'GET', path: '/api/v1/profile', token: 'nonsense' })
      expect(existsSync(path)).to.equal(false)
    } finally {
      await service.stop()
      await rm(folder, { recursive: true })
    }
  })
})
