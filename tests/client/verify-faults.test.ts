import { expect } from 'chai'
import { PortcullisUnavailable } from '../../adapters/client/client.ts'
import { envelope, type FaultyServer, json, startFaultyServer } from './faulty-server.ts'
import { jwtClaims, pasetoClaims, signer } from './signer.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

describe('the offline verification of the client', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  const { jwk, paserk, jwt, paseto } = signer()

  for (const [format, sign] of [
    ['JWT', jwt],
    ['PASETO', paseto],
  ] as const)
    for (const body of [{}, { keys: null }, { keys: {} }])
      it(`of a ${format} throws PortcullisUnavailable if the keys are ${JSON.stringify(body)}`, async () => {
        server.plays(json(200, body))
        const error = await thrownBy(timedClient(server).auth.verify(sign({})))
        expect(error).to.be.instanceOf(PortcullisUnavailable).and.include({ outcome: 'none' })
      })

  it('uses the other keys beside one of a form that it does not know', async () => {
    const { auth, time } = timedClient(server)
    server.plays(
      json(200, { keys: [{ kid: 'key-2' }, paserk] }),
      json(200, { keys: [{ kid: 'key-2' }, jwk] }),
    )
    expect(await auth.verify(paseto(pasetoClaims(server.url, time.now())))).to.include({ ok: true })
    expect(await auth.verify(jwt(jwtClaims(server.url, time.now())))).to.include({ ok: true })
  })

  it('takes an issuer with a slash at the end', async () => {
    const issuer = 'https://auth.example.com'
    const { auth, time } = timedClient(server, { issuer: `${issuer}/` })
    server.plays(json(200, { keys: [jwk] }))
    expect(await auth.verify(jwt(jwtClaims(issuer, time.now())))).to.include({ ok: true })
  })

  it('refreshes old keys at most every 30 seconds while that fails', async () => {
    const { auth, time } = timedClient(server)
    const token = jwt({ ...jwtClaims(server.url, time.now()), exp: time.now() / 1000 + 3600 })
    server.plays(json(200, { keys: [jwk] }), envelope(500), envelope(500))
    await auth.verify(token)
    const verifyAt = async (seconds: number): Promise<number> => {
      time.pass(seconds * 1000)
      for (let count = 0; count < 5; count += 1) {
        expect(await auth.verify(token)).to.include({ ok: true })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return server.seen.length
    }
    expect([await verifyAt(300), await verifyAt(29), await verifyAt(1)]).to.deep.equal([2, 2, 3])
  })
})
