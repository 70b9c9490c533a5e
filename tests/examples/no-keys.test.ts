import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { newEd25519 } from '../../adapters/credentials/signing/ed25519.ts'
import { forgeJwt } from '../tokens/forge.ts'
import { type Example, startExample } from './example.ts'

/** An unverified token: a resource server needs keys before it can accept or refuse it. */
const token = forgeJwt(
  {
    kid: 'one',
    purpose: 'application',
    material: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', ...newEd25519() }),
  } as Parameters<typeof forgeJwt>[0],
  '{}',
)

/** Responses in place of the issuer’s, such as those of a proxy in front of it. */
const ANSWERS: ReadonlyArray<readonly [what: string, answer: RequestListener]> = [
  ['returns 502', (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')],
  ['redirects', (_, response) => response.writeHead(302, { location: '/' }).end()],
  ['does not return JSON', (_, response) => response.end('<h1>Welcome</h1>')],
  ['returns no keys', (_, response) => response.end('{}')],
  ['closes the connection', (request) => request.socket.destroy()],
  ['does not respond', () => {}],
]

for (const name of ['express', 'koa']) {
  describe(`the resource server on ${name}, whose issuer provides no keys`, () => {
    let answer: RequestListener
    let issuer: Server
    let server: Example
    before(async () => {
      issuer = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
      await once(issuer, 'listening')
      server = await startExample(name, `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`)
    })
    after(async () => {
      await server.stop()
      issuer.closeAllConnections()
      issuer.close()
    })

    for (const [what, gives] of ANSWERS) {
      it(`does not refuse the token when the issuer ${what}`, async () => {
        answer = gives
        const refused = await server.ask(`Bearer ${token}`)
        expect(refused).to.include({ status: 503, challenge: null })
        expect(refused.headers.get('retry-after')).to.equal('5')
      })
    }

    it('refuses the token when it has keys, but not the token’s', async () => {
      answer = (_, response) => response.end('{"keys":[]}')
      expect(await server.ask(`Bearer ${token}`)).to.include({
        status: 401,
        challenge: 'Bearer realm="invitations", error="invalid_token"',
      })
    })
  })
}
