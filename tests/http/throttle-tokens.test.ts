import { expect } from 'chai'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { HAS_MANY_ADDRESSES, newAddress } from '../support/callers.ts'
import type { Sent } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const PROFILE: Sent = { method: 'GET', path: '/api/v1/profile' }
const OUT: Sent = { method: 'DELETE', path: '/api/v1/auth/user/token' }
const A_YEAR = 31_536_000

/** The token with one character changed in its middle: the signature or the signed part. */
const altered = (token: string): string => {
  const at = Math.floor(token.length / 2)
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

const unsigned = (jwt: string): string =>
  [Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url'), jwt.split('.')[1], ''].join('.')

onMemory('failing tokens', (stores) => {
  let running: ThrottledService
  let good: Readonly<{ application: string; user: string }>
  let failing: Readonly<Record<string, string>>
  before(async function () {
    if (!HAS_MANY_ADDRESSES) this.skip()
    running = await startThrottled(await stores.fresh())
    const { service, keys, user, clock } = running
    const issue = async (of = keys): Promise<string> =>
      (await running.send({ method: 'POST', path: '/api/v1/auth/application/token', body: of })).body.token
    const signIn = async (application: string, email: string): Promise<string> => {
      const body = { email, password: user.password }
      const path = '/api/v1/auth/user/token'
      return (await running.send({ method: 'POST', path, token: application, body })).body.token
    }
    const first = await issue()
    const expired = { application: first, user: await signIn(first, user.email) }
    clock.passSeconds(A_YEAR + 10)

    const underOldKeys = await issue()
    const leaked = { application: underOldKeys, user: await signIn(underOldKeys, user.email) }
    await succeed(service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true }))
    clock.passSeconds(2)

    const application = await issue()
    for (const email of ['disabled@example.com', 'removed@example.com'])
      await succeed(service.registerUser(CONTEXT, { email, password: user.password }, OPERATOR))
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'a', scope: 'users:sign_in' }))
    const revoked = await issue({ public_api_key: made.publicApiKey, private_api_key: made.privateApiKey })
    const disabled = await signIn(application, 'disabled@example.com')
    const removed = await signIn(application, 'removed@example.com')
    const signedOut = await signIn(application, user.email)
    const ended = await signIn(application, user.email)
    const live = await signIn(application, user.email)
    await succeed(service.revokeApplication(CONTEXT, made.application.id))
    await succeed(service.disableUser(CONTEXT, 'disabled@example.com'))
    await succeed(service.removeUser(CONTEXT, 'removed@example.com'))
    await running.send({ ...OUT, token: signedOut })
    await running.change(live, user.password, 'battery staple')
    good = { application, user: live }
    failing = {
      'is rubbish': 'rubbish',
      'is nothing behind Bearer': '',
      'is two words': 'two words',
      'has the form of a JWT only': 'a.b.c',
      'has the form of a PASETO only': 'v4.public.AAAA',
      'is an unsigned JWT': unsigned(application),
      'is an altered JWT': altered(application),
      'is an altered PASETO': altered(live),
      'is an expired JWT': expired.application,
      'is an expired PASETO': expired.user,
      'is of a revoked application': revoked,
      'was signed out': signedOut,
      'ended with a password change elsewhere': ended,
      'is of a disabled user': disabled,
      'is of a removed user': removed,
      'is a JWT of a leaked key': leaked.application,
      'is a PASETO of a leaked key': leaked.user,
      // A JWT’s key id is in its header and a PASETO’s in its footer. The other parts may be anything.
      'only names a leaked key, as a JWT': `${leaked.application.split('.')[0]}.e30.AAAA`,
      'only names a leaked key, as a PASETO': `v4.public.AAAA.${leaked.user.split('.')[3]}`,
    }
  })
  after(() => running?.stop())

  const askFrom = (address: string, request: Sent, token: string | undefined) =>
    running.sendFrom(address)({ ...request, ...(token === undefined ? {} : { token }) })

  for (const which of [
    'is rubbish',
    'is nothing behind Bearer',
    'is two words',
    'has the form of a JWT only',
    'has the form of a PASETO only',
    'is an unsigned JWT',
    'is an altered JWT',
    'is an altered PASETO',
  ]) {
    it(`count for their address when one ${which}: 401 three times, then 429`, async () => {
      const address = newAddress()
      expect(failing).to.have.property(which)
      const ask = () => askFrom(address, PROFILE, failing[which])
      expect(await statusesOf(4, ask)).to.deep.equal([401, 401, 401, 429])
    })
  }

  // A client with an expired or revoked token must learn that it needs a new one, even behind a blocked address.
  for (const which of [
    'is an expired JWT',
    'is an expired PASETO',
    'is of a revoked application',
    'was signed out',
    'ended with a password change elsewhere',
    'is of a disabled user',
    'is of a removed user',
    'is a JWT of a leaked key',
    'is a PASETO of a leaked key',
    'only names a leaked key, as a JWT',
    'only names a leaked key, as a PASETO',
  ]) {
    it(`neither count nor are blocked when one ${which}: 401, however often`, async () => {
      const address = newAddress()
      expect(failing).to.have.property(which)
      const ask = () => askFrom(address, PROFILE, failing[which])
      expect(await statusesOf(4, ask)).to.deep.equal([401, 401, 401, 401])
      expect(await statusesOf(4, () => askFrom(address, PROFILE, 'rubbish'))).to.deep.equal([
        401, 401, 401, 429,
      ])
      expect((await ask()).status).to.equal(401)
    })
  }

  for (const which of ['is a JWT of a leaked key', 'is a PASETO of a leaked key']) {
    it(`are 401 for 400 of 400 requests when one ${which}`, async () => {
      const address = newAddress()
      const statuses = await statusesOf(400, () => askFrom(address, PROFILE, failing[which]))
      expect(new Set(statuses)).to.deep.equal(new Set([401]))
    })

    it(`are inactive in introspection when one ${which}`, async () => {
      const { service } = running
      expect(await succeed(service.introspect(failing[which] ?? ''))).to.deep.equal({ active: false })
    })
  }

  it('count together on all routes and with API keys', async () => {
    const address = newAddress()
    const issue: Sent = {
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: { public_api_key: 'pk_x', private_api_key: 'sk_x' },
    }
    const requests: ReadonlyArray<Sent> = [
      { method: 'POST', path: '/api/v1/users', body: {} },
      { method: 'POST', path: '/api/v1/auth/user/token', body: {} },
      issue,
      { method: 'POST', path: '/api/v1/profile/change_password', body: {} },
      OUT,
      issue,
    ]
    const statuses: Array<number> = []
    for (const request of requests)
      statuses.push((await askFrom(address, request, request === issue ? undefined : 'rubbish')).status)
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429, 429])
  })

  it('neither block valid tokens from the same address nor are reset by them', async () => {
    const address = newAddress()
    for (const status of [401, 401, 401, 429, 429]) {
      expect((await askFrom(address, PROFILE, 'rubbish')).status).to.equal(status)
      const answer = await askFrom(address, PROFILE, good.user)
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([200, undefined])
      const users: Sent = { method: 'POST', path: '/api/v1/users', body: {} }
      expect((await askFrom(address, users, good.application)).status).to.equal(422)
    }
  })

  it('do not include missing tokens, wrong kinds, missing scopes or other errors', async () => {
    const address = newAddress()
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'a', scope: 'users:register' }),
    )
    const keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
    const issue: Sent = { method: 'POST', path: '/api/v1/auth/application/token', body: keys }
    const unscoped = (await askFrom(address, issue, undefined)).body.token
    const signIn: Sent = { method: 'POST', path: '/api/v1/auth/user/token', body: {} }
    const RULES: ReadonlyArray<readonly [Sent, string | undefined, number]> = [
      [PROFILE, undefined, 401],
      [{ ...PROFILE, headers: { authorization: 'Basic cnViYmlzaA==' } }, undefined, 401],
      [PROFILE, good.application, 403],
      [signIn, good.user, 403],
      [signIn, unscoped, 403],
      [signIn, good.application, 422],
      [{ ...signIn, body: '{' }, good.application, 400],
      [{ method: 'GET', path: '/api/v1/nothing' }, 'rubbish', 404],
      [{ method: 'PUT', path: '/api/v1/profile' }, 'rubbish', 405],
      [{ method: 'OPTIONS', path: '/api/v1/profile' }, 'rubbish', 204],
      [{ method: 'GET', path: '/healthz' }, 'rubbish', 200],
    ]
    for (const [request, token, status] of RULES)
      expect(await statusesOf(4, () => askFrom(address, request, token))).to.deep.equal(Array(4).fill(status))
    expect((await askFrom(address, PROFILE, 'rubbish')).status).to.equal(401)
  })

  it('do not count for other addresses, and 100 concurrent ones count like a sequence', async () => {
    const [here, elsewhere] = [newAddress(), newAddress()]
    const answers = await Promise.all(Array.from({ length: 100 }, () => askFrom(here, PROFILE, 'rubbish')))
    expect(answers.filter(({ status }) => status === 401)).to.have.length(3)
    expect(answers.filter(({ status }) => status === 429)).to.have.length(97)
    expect((await askFrom(elsewhere, PROFILE, 'rubbish')).status).to.equal(401)
  })
})
