import { expect } from 'chai'
import * as oauth from 'oauth4webapi'
import { type AtItsUrl, startAtItsUrl } from './at-its-url.ts'

const WAYS: ReadonlyArray<readonly [how: string, way: (secret: string) => oauth.ClientAuth]> = [
  ['client_secret_basic', oauth.ClientSecretBasic],
  ['client_secret_post', oauth.ClientSecretPost],
]

/** These tests use plain HTTP on this machine. */
const HTTP = { [oauth.allowInsecureRequests]: true }

for (const prefix of ['', '/base/auth']) {
  describe(`oauth4webapi with a service at ${prefix === '' ? 'the root' : prefix}`, () => {
    let running: AtItsUrl
    let server: oauth.AuthorizationServer
    before(async () => {
      running = await startAtItsUrl(prefix)
      const { issuer } = running
      const answer = await oauth.discoveryRequest(issuer, { ...HTTP, algorithm: 'oauth2' })
      server = await oauth.processDiscoveryResponse(issuer, answer)
    })
    after(() => running.service.stop())

    for (const [how, way] of WAYS) {
      it(`discovers the service, gets a token, introspects it and revokes it, by ${how}`, async () => {
        const { client_id, secret } = await running.register('users:register tokens:introspect')
        const client = { client_id }
        const granted = await oauth.processClientCredentialsResponse(
          server,
          client,
          await oauth.clientCredentialsGrantRequest(
            server,
            client,
            way(secret),
            { scope: 'users:register' },
            HTTP,
          ),
        )
        const { access_token: token } = granted
        expect(granted).to.deep.include({ token_type: 'bearer', expires_in: 3600, scope: 'users:register' })

        const worth = async () =>
          oauth.processIntrospectionResponse(
            server,
            client,
            await oauth.introspectionRequest(server, client, way(secret), token, HTTP),
          )
        const id = client_id.slice('pk_'.length)
        expect(await worth()).to.include({ active: true, client_id: id, scope: 'users:register' })

        const ended = await oauth.revocationRequest(server, client, way(secret), token, HTTP)
        expect(await oauth.processRevocationResponse(ended)).to.equal(undefined)
        expect(await worth()).to.deep.equal({ active: false })
      })

      it(`reports wrong keys as invalid_client, by ${how}`, async () => {
        const { client_id } = await running.register('users:register')
        const { secret } = await running.register('users:register')
        const asked = await oauth.clientCredentialsGrantRequest(
          server,
          { client_id },
          way(secret),
          new URLSearchParams(),
          HTTP,
        )
        const failure = await failureOf(
          oauth.processClientCredentialsResponse(server, { client_id }, asked),
          oauth.WWWAuthenticateChallengeError,
        )
        expect(failure.status).to.equal(401)
        expect(failure.cause).to.deep.equal([{ scheme: 'basic', parameters: { realm: 'portcullis' } }])
        expect(await failure.response.json()).to.include({ error: 'invalid_client' })
      })
    }

    it('reports an unavailable scope as invalid_scope', async () => {
      const { client_id, secret } = await running.register('users:register')
      const asked = await oauth.clientCredentialsGrantRequest(
        server,
        { client_id },
        oauth.ClientSecretBasic(secret),
        { scope: 'users:sign_in' },
        HTTP,
      )
      const failure = await failureOf(
        oauth.processClientCredentialsResponse(server, { client_id }, asked),
        oauth.ResponseBodyError,
      )
      expect(failure).to.include({ status: 400, error: 'invalid_scope' })
      expect(failure.error_description).to.equal('The application does not have every requested scope.')
    })

    it('verifies a token with the published keys, like a resource server', async () => {
      const { client_id, secret } = await running.register('users:register')
      const asked = await oauth.clientCredentialsGrantRequest(
        server,
        { client_id },
        oauth.ClientSecretBasic(secret),
        new URLSearchParams(),
        HTTP,
      )
      const { access_token: token } = await oauth.processClientCredentialsResponse(
        server,
        { client_id },
        asked,
      )
      const request = new Request('http://api.test/', { headers: { authorization: `Bearer ${token}` } })
      const claims = await oauth.validateJwtAccessToken(server, request, server.issuer, HTTP)
      expect(claims).to.include({ iss: server.issuer, scope: 'users:register' })
    })
  })
}

/** The error that rejects a promise, which must be of this class. */
const failureOf = async <E extends Error>(
  promise: Promise<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: an error class with any constructor
  kind: new (...from: any[]) => E,
): Promise<E> => {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure instanceof kind) return failure
  throw new Error(`unexpected result: ${failure}`)
}
