import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { newEd25519 } from '../../adapters/credentials/signing/ed25519.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { bytesOf, forgeJws, forgeJwt, halvesOf, jwtHeader } from '../tokens/forge.ts'
import { type Example, startExample } from './example.ts'
import { type Issuer, startIssuer } from './issuer.ts'

const REALM = 'Bearer realm="invitations"'
const INVALID = { status: 401, challenge: `${REALM}, error="invalid_token"` }

const HOUR_MS = 3_600_000

/** Makes a forged token from the real key and a valid token. */
type Forged = (key: SigningKey, token: string) => string

/** A token signed by the real key, with these claims changed. */
const claiming =
  (claims: object): Forged =>
  (key, token) =>
    forgeJwt(key, JSON.stringify({ ...decodeJwt(token), ...claims }))

const partsOf = (token: string) => token.split('.') as [string, string, string]

const FORGED: ReadonlyArray<readonly [what: string, forged: Forged]> = [
  ['a single letter', () => 'x'],
  [
    'a foreign key under the real key id',
    (key, token) => {
      const { d, x } = newEd25519()
      return forgeJwt(
        { ...key, material: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', d, x }) },
        JSON.stringify(decodeJwt(token)),
      )
    },
  ],
  [
    'alg none',
    (key, token) =>
      forgeJws(JSON.stringify({ ...jwtHeader(key), alg: 'none' }), bytesOf(partsOf(token)[1]), () => ''),
  ],
  [
    'the public key as an HMAC secret',
    (key, token) =>
      forgeJws(JSON.stringify({ ...jwtHeader(key), alg: 'HS256' }), bytesOf(partsOf(token)[1]), (signed) =>
        createHmac('sha256', bytesOf(halvesOf(key).x))
          .update(signed)
          .digest(),
      ),
  ],
  [
    'a scope added after signing',
    (_, token) => {
      const [header, , signature] = partsOf(token)
      const claims = JSON.stringify({
        ...decodeJwt(token),
        scope: 'users:register users:sign_in tokens:introspect',
      })
      return [header, Buffer.from(claims).toString('base64url'), signature].join('.')
    },
  ],
  [
    'another type of token',
    (key, token) =>
      forgeJwt(key, bytesOf(partsOf(token)[1]), JSON.stringify({ ...jwtHeader(key), typ: 'JWT' })),
  ],
  ['another issuer', claiming({ iss: 'https://elsewhere.example.com' })],
  ['another audience', claiming({ aud: 'https://elsewhere.example.com' })],
  ['no audience', claiming({ aud: undefined })],
  ['no expiry', claiming({ exp: undefined })],
  ['no scope', claiming({ scope: undefined })],
]

for (const name of ['express', 'koa']) {
  describe(`the resource server on ${name}`, () => {
    let issuer: Issuer
    let server: Example
    let good: string
    let expired: string
    before(async () => {
      issuer = await startIssuer(-2 * HOUR_MS)
      expired = await issuer.tokenFor('users:register')
      issuer.shiftClock(0)
      server = await startExample(name, issuer.url)
    })
    beforeEach(async () => {
      good = await issuer.tokenFor('users:register')
    })
    after(async () => {
      await issuer.api.close()
      await issuer.stop()
      expect(await server.stop()).to.equal(0)
    })

    const ask = async (token: string) => {
      const { status, challenge } = await server.ask(`Bearer ${token}`)
      return { status, challenge }
    }
    const FINE = { status: 200, challenge: null }

    it('returns 503 without keys while the issuer is down, and recovers with the issuer', async () => {
      await issuer.stop()
      const away = await server.ask(`Bearer ${good}`)
      expect(away).to.include({ status: 503, challenge: null })
      expect(away.headers.get('retry-after')).to.equal('5')
      await issuer.start()
      expect(await ask(good)).to.deep.equal(FINE)
    })

    it('admits an application with the scope and identifies it', async () => {
      const { body } = await server.ask(`bearer ${good}`)
      expect(body).to.deep.equal({ application: decodeJwt(good).sub })
    })

    for (const authorization of [undefined, '', 'Basic YWRhOnNlY3JldA==', 'Bearer', 'Bearer a b']) {
      it(`requires a token, without an error code, for ${JSON.stringify(authorization)}`, async () => {
        expect(await server.ask(authorization)).to.include({ status: 401, challenge: REALM })
      })
    }

    it('names the scope that a valid token lacks', async () => {
      expect(await ask(await issuer.tokenFor('users:sign_in'))).to.deep.equal({
        status: 403,
        challenge: `${REALM}, error="insufficient_scope", scope="users:register"`,
      })
    })

    it('refuses an expired token', async () => {
      expect(await ask(expired)).to.deep.equal(INVALID)
    })

    it('refuses a user token', async () => {
      expect(await ask(await issuer.userToken())).to.deep.equal(INVALID)
    })

    for (const [what, forged] of FORGED) {
      it(`refuses a token with ${what}`, async () => {
        const token = forged(await issuer.signingKey(), good)
        expect(token).not.to.equal(good)
        expect(await ask(token)).to.deep.equal(INVALID)
      })
    }

    it('accepts a valid token that was built the same way', async () => {
      expect(await ask(claiming({})(await issuer.signingKey(), good))).to.deep.equal(FINE)
    })
  })
}
