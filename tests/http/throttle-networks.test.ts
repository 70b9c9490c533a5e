import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import type { TestRequest } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { startThrottled } from '../support/throttled-service.ts'

const PROFILE: TestRequest = { method: 'GET', path: '/api/v1/profile' }

onMemory('callers behind a proxy that appends ports, and one that appends names', (stores) => {
  it('are told apart by their addresses, and the first unreadable entry is logged, without the entry', async () => {
    const { log, lines } = capturedLog()
    const environment = { ...(await stores.fresh()), TRUST_PROXY: '1' }
    const running = await startThrottled(
      environment,
      provide(Dependency.log, () => log),
    )
    const fail = async (forwarded: string): Promise<number> => {
      const headers = { 'x-forwarded-for': forwarded }
      return (await running.send({ ...PROFILE, token: 'rubbish', headers })).status
    }
    const warnings = () => lines.filter((line) => line.includes('X-Forwarded-For'))
    try {
      for (const port of [1, 2, 3]) expect(await fail(`192.0.2.1:${port}`)).to.equal(401)
      expect(await fail('192.0.2.1:4')).to.equal(429)
      expect(await fail('192.0.2.2:4')).to.equal(401)
      expect(warnings()).to.deep.equal([])
      for (const name of ['a.internal', 'b.internal', 'unknown']) expect(await fail(name)).to.equal(401)
      expect(await fail('c.internal')).to.equal(429)
      expect(warnings()).to.have.lengthOf(1)
      expect(warnings()[0]).not.to.include('internal')
    } finally {
      await running.stop()
    }
  })
})

onMemory('failures of callers behind two proxies', (stores) => {
  it('count for the address that the first of the two saw, in one header line or several', async () => {
    const running = await startThrottled({ ...(await stores.fresh()), TRUST_PROXY: '2' })
    const fail = async (...lines: ReadonlyArray<string>): Promise<number> => {
      const headers = ['Authorization: Bearer rubbish', ...lines.map((line) => `X-Forwarded-For: ${line}`)]
      return parseRaw(await sendRaw(running.port, requestText('GET', PROFILE.path, headers))).status
    }
    try {
      for (const lines of [
        ['198.51.100.66', '192.0.2.1', '10.0.0.1'],
        ['192.0.2.1, 10.0.0.2'],
        ['198.51.100.66, 192.0.2.1', '10.0.0.1'],
      ])
        expect(await fail(...lines)).to.equal(401)
      expect(await fail('198.51.100.77, 192.0.2.1, 10.0.0.1')).to.equal(429)
      expect(await fail('192.0.2.1, 192.0.2.3', '10.0.0.1')).to.equal(401)
    } finally {
      await running.stop()
    }
  })
})
