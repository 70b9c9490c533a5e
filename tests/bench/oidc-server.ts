import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

/**
 * oidc-provider with its own in-memory adapter, opaque access tokens and no log. It prints an access token for its
 * userinfo route beside its port.
 */
const CLIENT = 'bench'
const USER = { sub: 'a1b2c3', email: 'bench@example.com' }

const provider = new Provider('http://bench.test', {
  clients: [
    {
      client_id: CLIENT,
      client_secret: 'a secret of forty-three characters for this',
      grant_types: ['client_credentials', 'authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://client.test/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  claims: { openid: ['sub'], email: ['email'] },
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  findAccount: () => ({ accountId: USER.sub, claims: () => USER }),
  cookies: { keys: ['a key of the benchmark'] },
  jwks: {
    keys: [
      {
        ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
        use: 'sig',
      },
    ],
  },
  ttl: { AccessToken: 3600, ClientCredentials: 3600, Grant: 3600 },
})

/** As after a sign-in with the authorization code flow. */
const userToken = async (): Promise<string> => {
  const grant = new provider.Grant({ accountId: USER.sub, clientId: CLIENT })
  grant.addOIDCScope('openid email')
  const client = await provider.Client.find(CLIENT)
  const grantId = await grant.save()
  const scope = 'openid email'
  return new provider.AccessToken({
    accountId: USER.sub,
    client,
    grantId,
    scope,
    gty: 'authorization_code',
  }).save()
}

const server = createServer(provider.callback())
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
if (typeof address === 'object' && address !== null)
  process.stdout.write(`token ${await userToken()} listens on http://127.0.0.1:${address.port}\n`)
