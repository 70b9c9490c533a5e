import { expect } from 'chai'
import { composeOperations, Dependency, provide } from '../../adapters/index.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

onMemory('a service that can no longer decrypt its signing keys', (stores) => {
  it('is not ready, because routes with tokens cannot work', async () => {
    const { environment, modules } = await stores.lasting()
    let now = Date.now()
    const service = await startService(
      { ...environment, KEY_ENCRYPTION_KEY: `one:${'1'.repeat(64)}` },
      ...modules,
      provide(Dependency.clock, () => () => now),
    )
    try {
      const other = settings({ ...environment, KEY_ENCRYPTION_KEY: `other:${'2'.repeat(64)}` })
      const operator = await composeOperations(other, ...modules)
      await succeed(operator.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true }))
      await operator.close()
      now += 2_000
      expect((await service.send({ method: 'GET', path: '/.well-known/jwks.json' })).status).to.equal(503)
      expect((await service.send({ method: 'GET', path: '/readyz' })).status).to.equal(503)
    } finally {
      await service.stop()
    }
  })
})
