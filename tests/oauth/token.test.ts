import { expect } from 'chai'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { Dependency, provide } from '../../adapters/index.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { basic, basicOf, clientOf, GRANT, sendForm, TOKEN } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const NOW = new Date('2026-11-20T12:00:00.900Z')
const ALL = 'users:sign_in users:register'

/** Percent-encodes every character, as some clients do. */
const escaped = (text: string): string =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`).join('')

onMemory('POST /oauth2/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(
      await stores.fresh(),
      provide(Dependency.clock, () => () => NOW.getTime()),
    )
  })
  after(() => running.stop())

  const ask = (form: Record<string, string> = {}, headers: Record<string, string> = basic(running.keys)) =>
    sendForm(running, TOKEN, { ...GRANT, ...form }, headers)

  const claimsOf = async (token: string) => {
    const { body } = await running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    const { payload } = await jwtVerify(token, createLocalJWKSet(body), {
      issuer: PUBLIC_URL,
      audience: PUBLIC_URL,
      typ: 'at+jwt',
      currentDate: NOW,
    })
    return payload
  }

  it('returns exactly the members of RFC 6749 §5.1', async () => {
    const answer = await ask()
    const { access_token: token, ...said } = answer.body
    expect(answer.status).to.equal(200)
    expect(said).to.deep.equal({ token_type: 'Bearer', expires_in: 3600, scope: ALL })
    expect(token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      pragma: 'no-cache',
      'x-content-type-options': 'nosniff',
    })
  })

  it('accepts the application’s id as client_id, in the header and in the form', async () => {
    const { client_id: whole, client_secret: secret } = clientOf(running.keys)
    const id = whole.slice('pk_'.length)
    for (const [form, headers] of [
      [{}, { authorization: basicOf(id, secret) }],
      [{ client_id: whole }, { authorization: basicOf(id, secret) }],
      [{ client_id: id }, { authorization: basicOf(whole, secret) }],
      [{ client_id: id, client_secret: secret }, {}],
    ] as ReadonlyArray<[Record<string, string>, Record<string, string>]>) {
      const answer = await ask(form, headers)
      expect(answer.status).to.equal(200)
      expect((await claimsOf(answer.body.access_token)).client_id).to.equal(id)
    }
  })

  it('issues the same token as the API’s route', async () => {
    const own = await running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: running.keys,
    })
    const [theirs, ours] = await Promise.all([
      claimsOf((await ask()).body.access_token),
      claimsOf(own.body.token),
    ])
    expect({ ...theirs, jti: '' }).to.deep.equal({ ...ours, jti: '' })
    expect(theirs.jti).not.to.equal(ours.jti)
  })

  const WAYS: ReadonlyArray<
    readonly [how: string, form: (keys: RunningService['keys']) => object, header: string | undefined]
  > = [
    ['in the form', (keys) => clientOf(keys), undefined],
    ['in the form, beside an unrelated bearer token', clientOf, 'Bearer nonsense'],
    ['by Basic', () => ({}), 'Basic %K'],
    ['by Basic in small letters, behind many spaces', () => ({}), 'basic   %K'],
    ['by Basic, with every character escaped', () => ({}), 'Basic %E'],
    [
      'by Basic, with the same client_id in the form',
      (keys) => ({ client_id: keys.public_api_key }),
      'Basic %K',
    ],
    ['by Basic, beside empty parameters', () => ({ client_id: '', client_secret: '' }), 'Basic %K'],
  ]
  for (const [how, form, header] of WAYS) {
    it(`accepts the keys ${how}`, async () => {
      const { public_api_key: id, private_api_key: secret } = running.keys
      const authorization = header
        ?.replace('%K', basicOf(id, secret).slice('Basic '.length))
        .replace('%E', basicOf(escaped(id), escaped(secret)).slice('Basic '.length))
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await ask({ ...form(running.keys) }, headers)
      expect(answer.body).to.include({ token_type: 'Bearer', scope: ALL })
    })
  }

  it('issues a token with only the requested scope', async () => {
    expect((await ask({ scope: ' users:register\n' })).body.scope).to.equal('users:register')
    const { body } = await ask({ scope: 'users:register users:register' })
    expect(body.scope).to.equal('users:register')
    const use = async (path: string) =>
      (await running.send({ method: 'POST', path, token: body.access_token })).status
    expect(await use('/api/v1/users'), 'authorized, but without fields').to.equal(422)
    expect(await use('/api/v1/auth/user/token')).to.equal(403)
  })

  it('returns the lifetime from the settings', async () =>
    withService({ ...(await stores.fresh()), APPLICATION_TOKEN_TTL: '60' }, async (other) => {
      expect((await sendForm(other, TOKEN, GRANT, basic(other.keys))).body.expires_in).to.equal(60)
    }))

  it('ignores unknown parameters', async () => {
    expect((await ask({ resource: 'https://api.test', __proto__x: 'y', audience: 'z' })).status).to.equal(200)
  })
})
