import { expect } from 'chai'
import { calculateJwkThumbprint, decodeProtectedHeader, type JWK } from 'jose'
import type { Environment } from '../../adapters/config/settings.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** The paths and formats of the published keys for each kind of token. */
const PUBLISHED = [
  {
    path: '/.well-known/jwks.json',
    purpose: 'application',
    half: 'x',
    form: /^[A-Za-z0-9_-]{43}$/,
    others: (kid: unknown) => ({ kty: 'OKP', crv: 'Ed25519', kid, use: 'sig', alg: 'EdDSA' }),
    named: 'by its RFC 7638 thumbprint',
    kidOf: (_: RunningService, key: JWK) => calculateJwkThumbprint(key, 'sha256'),
  },
  {
    path: '/.well-known/user-jwks.json',
    purpose: 'user_jwt',
    half: 'x',
    form: /^[A-Za-z0-9_-]{43}$/,
    others: (kid: unknown) => ({ kty: 'OKP', crv: 'Ed25519', kid, use: 'sig', alg: 'EdDSA' }),
    named: 'like the header of a user token as JWT',
    kidOf: async (running: RunningService) => decodeProtectedHeader(await running.userToken()).kid,
  },
  {
    path: '/.well-known/openid-jwks.json',
    purpose: 'id_token',
    half: 'n',
    form: /^[A-Za-z0-9_-]{342}$/,
    others: (kid: unknown) => ({ kty: 'RSA', e: 'AQAB', kid, use: 'sig', alg: 'RS256' }),
    named: 'by its RFC 7638 thumbprint',
    kidOf: (_: RunningService, key: JWK) => calculateJwkThumbprint(key, 'sha256'),
  },
  {
    path: '/.well-known/paseto-keys.json',
    purpose: 'user',
    half: 'paserk',
    form: /^k4\.public\.[A-Za-z0-9_-]{43}$/,
    others: (kid: unknown) => ({ kid, version: 'v4', purpose: 'public' }),
    named: 'like the footer of a user token',
    kidOf: async (running: RunningService) => {
      const [, , , footer = ''] = (await running.userToken()).split('.')
      const { kid, ...more } = JSON.parse(Buffer.from(footer, 'base64url').toString())
      expect(more).to.deep.equal({})
      return kid
    },
  },
] as const

/** What makes the first key of a purpose. */
const SETTINGS: Partial<Record<KeyPurpose, Environment>> = {
  user_jwt: { USER_TOKEN_FORMAT: 'jwt' },
  id_token: { OPENID: 'on', ACCOUNT_PAGES: 'on' },
}

for (const { path, purpose, half, form, others, named, kidOf } of PUBLISHED)
  onMemory(`GET ${path}`, (stores) => {
    let running: RunningService
    before(async () => {
      running = await startService({ ...(await stores.fresh()), ...SETTINGS[purpose] })
    })
    after(() => running.stop())

    it(`returns only the public key of ${purpose} tokens`, async () => {
      const { store } = running.service
      const keys = (await succeed(store.listSigningKeys())).filter((key) => key.purpose === purpose)
      const created = (
        await succeed(store.readEvents({ after: 0, limit: 10, type: 'SigningKeyCreated' }))
      ).filter(({ data }) => 'purpose' in data && data.purpose === purpose)
      expect(keys).to.have.lengthOf(1)
      expect(created.map(({ subject }) => subject.id)).to.deep.equal(keys.map(({ kid }) => kid))
      const answer = await running.send({ method: 'GET', path })
      const shown = answer.body.keys[0][half]
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ keys: [{ ...others(keys[0]?.kid), [half]: shown }] })
      expect(shown).to.match(form)
      expect(lastingHeaders(answer)).to.deep.equal({
        ...(path === '/.well-known/openid-jwks.json' && { 'access-control-allow-origin': '*' }),
        'cache-control': 'public, max-age=60, must-revalidate',
        'content-length': String(JSON.stringify(answer.body).length),
        'content-type': 'application/json; charset=utf-8',
        etag: answer.headers.etag,
        'x-content-type-options': 'nosniff',
      })
    })

    it(`names the key ${named}`, async () => {
      const [key] = (await running.send({ method: 'GET', path })).body.keys
      expect(key.kid).to.equal(await kidOf(running, key))
    })
  })
