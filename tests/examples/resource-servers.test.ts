import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { newEd25519 } from '../../adapters/driven/signing/ed25519.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { eventually } from '../support/eventually.ts'
import { bytesOf, forgeJws, forgeJwt, halvesOf, jwtHeader } from '../tokens/forge.ts'
import { type Example, startExample } from './example.ts'
import { type Issuer, startIssuer } from './issuer.ts'

const REALM = 'Bearer realm="invitations"'
const INVALID = { status: 401, challenge: `${REALM}, error="invalid_token"` }

const HOUR_MS = 3_600_000

/** A token that somebody made up, from the real key and a good token under it. */
type Forged = (key: SigningKey, token: string) => string

/** Signed with the real key, and otherwise as the good token but for these claims. */
const claiming =
  (claims: object): Forged =>
  (key, token) =>
    forgeJwt(key, JSON.stringify({ ...decodeJwt(token), ...claims }))

const partsOf = (token: string) => token.split('.') as [string, string, string]

const FORGED: ReadonlyArray<readonly [what: string, forged: Forged]> = [
  ['nothing in it but a letter', () => 'x'],
  [
    'a key of somebody else under our name for ours',
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
    'our public key for a shared secret',
    (key, token) =>
      forgeJws(JSON.stringify({ ...jwtHeader(key), alg: 'HS256' }), bytesOf(partsOf(token)[1]), (signed) =>
        createHmac('sha256', bytesOf(halvesOf(key).x))
          .update(signed)
          .digest(),
      ),
  ],
  [
    'more scopes than were signed',
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
  ['no end', claiming({ exp: undefined })],
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

    it('says to try again while it has no keys and their issuer is away, and begins by itself when it is back', async () => {
      await issuer.stop()
      const away = await server.ask(`Bearer ${good}`)
      expect(away).to.include({ status: 503, challenge: null })
      expect(away.headers.get('retry-after')).to.equal('5')
      await issuer.start()
      expect(await ask(good)).to.deep.equal(FINE)
    })

    it('lets an application in whose token has the scope, and knows which it is', async () => {
      const { body } = await server.ask(`bearer ${good}`)
      expect(body).to.deep.equal({ application: decodeJwt(good).sub })
    })

    for (const authorization of [undefined, '', 'Basic YWRhOnNlY3JldA==', 'Bearer', 'Bearer a b']) {
      it(`asks for a token, and says no more, where it is given ${JSON.stringify(authorization)}`, async () => {
        expect(await server.ask(authorization)).to.include({ status: 401, challenge: REALM })
      })
    }

    it('names the scope that a good token lacks', async () => {
      expect(await ask(await issuer.tokenFor('users:sign_in'))).to.deep.equal({
        status: 403,
        challenge: `${REALM}, error="insufficient_scope", scope="users:register"`,
      })
    })

    it('refuses a token that has expired', async () => {
      expect(await ask(expired)).to.deep.equal(INVALID)
    })

    it('refuses the token of a user', async () => {
      expect(await ask(await issuer.userToken())).to.deep.equal(INVALID)
    })

    for (const [what, forged] of FORGED) {
      it(`refuses a token with ${what}`, async () => {
        const token = forged(await issuer.signingKey(), good)
        expect(token).not.to.equal(good)
        expect(await ask(token)).to.deep.equal(INVALID)
      })
    }

    it('takes a token that was put together as these are, and is right', async () => {
      expect(await ask(claiming({})(await issuer.signingKey(), good))).to.deep.equal(FINE)
    })

    it('goes on with the keys it has while their issuer is away, for ten minutes', async () => {
      await issuer.stop()
      expect(await ask(good)).to.deep.equal(FINE)
      server.passMs(HOUR_MS / 6 + 1)
      expect(await ask(good)).to.deep.equal({ status: 503, challenge: null })
      await issuer.start()
      expect(await ask(good)).to.deep.equal(FINE)
    })

    it('asks for the keys anew when it meets one it does not know, but at most twice a minute', async () => {
      server.passMs(HOUR_MS)
      expect(await ask(good), 'with keys that it has asked for just now').to.deep.equal(FINE)
      const before = await issuer.signingKey()
      await issuer.replaceKeys()
      await eventually('another key', async () => {
        const { kid } = await issuer.signingKey()
        return kid === before.kid ? undefined : kid
      })
      const next = await issuer.tokenFor('users:register')
      expect(await ask(next), 'too early to ask again').to.deep.equal(INVALID)
      server.passMs(HOUR_MS + HOUR_MS / 60)
      expect(await ask(next)).to.deep.equal(FINE)
      expect(await ask(good), 'under a key that leaked').to.deep.equal(INVALID)
    })
  })
}
