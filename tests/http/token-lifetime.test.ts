import { expect } from 'chai'
import { compose } from '../../adapters/index.ts'
import { httpClient } from '../support/http-client.ts'
import { type Lasting, onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

const PATH = '/api/v1/profile'

onMemory('an issued token', (stores) => {
  let lasting: Lasting
  let running: RunningService
  before(async () => {
    lasting = await stores.lasting()
    running = await startService(lasting.environment, ...lasting.modules)
  })
  after(() => running.stop())

  const statusesAt = async (publicUrl: string) => {
    const token = await running.userToken()
    const applicationToken = await running.applicationToken()
    const other = await compose(
      settings({ ...lasting.environment, PUBLIC_URL: publicUrl }),
      ...lasting.modules,
    )
    const { send, close } = httpClient(`http://127.0.0.1:${await other.listen('127.0.0.1', 0)}`)
    try {
      const profile = await send({ method: 'GET', path: PATH, token })
      const signIn = await send({ method: 'POST', path: '/api/v1/auth/user/token', token: applicationToken })
      return [profile.status, signIn.status]
    } finally {
      await close()
      await other.stop()
    }
  }

  it('stays valid in another process with the same store and PUBLIC_URL', async () => {
    expect(await statusesAt('http://service.test')).to.deep.equal([200, 422])
  })

  it('is invalid under another PUBLIC_URL', async () => {
    expect(await statusesAt('http://elsewhere.test')).to.deep.equal([401, 401])
    expect(await statusesAt('https://service.test')).to.deep.equal([401, 401])
  })
})
