import { expect } from 'chai'
import type * as Testing from '../../adapters/bundle/testing.ts'
import type { TestOptions, TestService } from '../../adapters/bundle/testing.ts'
import { Dependency, type Module, memoryStore, provide } from '../../adapters/index.ts'
import { renewBundle } from '../support/renew-bundle.ts'
import { settings } from '../support/settings.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

/** A module that changes nothing. With it, the modules are separate. */
const SEPARATE = [provide(Dependency.passwordRules, () => [])]

const NO_PASSWORD = { name: 'none', refusal: 'is refused.', refuses: () => true }

describe('startForTests', () => {
  const started: Array<TestService> = []
  let startForTests: typeof Testing.startForTests
  before(async () => {
    renewBundle()
    ;({ startForTests } = await import('../../adapters/bundle/testing.ts'))
  })
  afterEach(() => Promise.all(started.splice(0).map((service) => service.stop())))

  const start = async (options?: TestOptions): Promise<TestService> => {
    const service = await startForTests(options)
    started.push(service)
    return service
  }

  /** Sends JSON to a service, and returns the status and the fields of the answer. */
  const post = async ({ fetch, url }: TestService, path: string, body: object, token = '') => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const request = new Request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await fetch(request)
    return { status: response.status, fields: JSON.parse(await response.text()) }
  }

  const applicationToken = async (service: TestService, { application } = service) => {
    const { publicApiKey: public_api_key, privateApiKey: private_api_key } = application
    const keys = { public_api_key, private_api_key }
    return (await post(service, '/api/v1/auth/application/token', keys)).fields.token
  }

  const signIn = async (service: TestService, { email, password } = service.user) =>
    post(service, '/api/v1/auth/user/token', { email, password }, await applicationToken(service))

  for (const [name, options] of [
    ['bundled', {}],
    ['separate', { modules: SEPARATE }],
  ] as const) {
    it(`starts with an application and a user, on ${name} modules`, async () => {
      const service = await start(options)
      expect(service).to.have.all.keys('application', 'applications', 'fetch', 'stop', 'url', 'user')
      expect(service.url).to.equal('http://portcullis.test')
      const { status, fields } = await signIn(service)
      expect(status).to.equal(200)
      expect(fields).to.include({ user_id: service.user.id, email_verified: false })
    })

    it(`listens at its url, which is the issuer of its tokens, on ${name} modules`, async () => {
      const service = await start({ ...options, listen: true })
      const { fields } = await signIn(service)
      const headers = { Authorization: `Bearer ${fields.token}` }
      const profile = await fetch(`${service.url}/api/v1/profile`, { headers })
      expect(profile.status).to.equal(200)
      const [, , payload = ''] = String(fields.token).split('.')
      expect(Buffer.from(payload, 'base64url').toString()).to.include(`"iss":"${service.url}"`)
      expect(service.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
      await service.stop()
      const refused = await fetch(`${service.url}/healthz`).catch(({ cause }) => cause.code)
      expect(refused).to.equal('ECONNREFUSED')
    })
  }

  for (const listen of [false, true])
    it(`shares nothing between two services that ${listen ? 'listen' : 'do not listen'}`, async () => {
      const [one, other] = await Promise.all([start({ listen }), start({ listen })])
      expect(one.url === other.url).to.equal(!listen)
      expect(one.application.privateApiKey).not.to.equal(other.application.privateApiKey)
      expect(one.user.password).not.to.equal(other.user.password)
      expect(await applicationToken(other, one)).to.equal(undefined)
      const { fields } = await signIn(one)
      const eve = { email: 'eve@example.com', password: 'pw' }
      expect((await post(one, '/api/v1/users', eve, await applicationToken(one))).status).to.equal(201)
      expect((await signIn(other, { ...other.user, ...eve })).status).to.equal(422)
      expect((await post(one, '/api/v1/profile', {}, fields.token)).status).to.equal(200)
      expect((await post(other, '/api/v1/profile', {}, fields.token)).status).to.equal(401)
      await one.stop()
      expect((await signIn(other)).status).to.equal(200)
    })

  it('lets a user enrol a passkey, after the e-mail is confirmed', async () => {
    const service = await start()
    const token = await applicationToken(service)
    const { id: user_id, email } = service.user
    const confirmation = await post(service, '/api/v1/users/email_confirmation', { user_id, email }, token)
    await post(service, '/api/v1/users/email_confirmation/complete', { token: confirmation.fields.token })
    const user = (await signIn(service)).fields
    expect(user.email_verified).to.equal(true)
    const started = await post(service, '/api/v1/profile/factors/passkey', {}, user.token)
    const { challenge, rp } = started.fields.options
    const [origin = ''] = service.application.passkeyOrigins
    const device = await softwareAuthenticator()
    const credential = await device.create({ challenge, rpId: rp.id, origin })
    const enrolled = await post(
      service,
      '/api/v1/profile/factors/passkey/complete',
      { credential },
      user.token,
    )
    expect(enrolled.status).to.equal(201)
  })

  it('has further applications, each with its own scope and requirements', async () => {
    const service = await startForTests({
      applications: {
        admin: { scope: 'users:read' },
        bank: { requireVerifiedEmail: true, userTokenTtl: 60 },
      },
    })
    started.push(service)
    const { admin, bank } = service.applications
    expect([service.application.name, admin.name, bank.name]).to.deep.equal(['tests', 'admin', 'bank'])
    expect(bank.passkeyOrigins).to.deep.equal(service.application.passkeyOrigins)
    const { email, password } = service.user
    const codesAt = async (application: TestService['application']) => {
      const token = await applicationToken(service, { ...service, application })
      const { status, fields } = await post(service, '/api/v1/auth/user/token', { email, password }, token)
      return [status, fields.errors?.map(({ code }: { code: number }) => code)]
    }
    expect(await codesAt(service.application)).to.deep.equal([200, undefined])
    expect(await codesAt(admin)).to.deep.equal([403, undefined])
    expect(await codesAt(bank)).to.deep.equal([422, [7]])
  })

  for (const [what, applications, message] of [
    ['an empty name', { '': {} }, 'An application of startForTests needs a name.'],
    [
      'an unknown option',
      { admin: { scopes: 'users:read' } },
      'applications.admin.scopes of startForTests is unknown. The options are scope, userTokenTtl, idleTtl, sessionTtl, rememberTtl, requireAal2, requireVerifiedEmail, passkeyOrigins, redirectUris, logoutUris, client, pkce.',
    ],
    [
      'an option that every object has',
      { admin: { toString: 'x' } },
      'applications.admin.toString of startForTests is unknown.',
    ],
    [
      'a scope that is no text',
      { admin: { scope: 7 } },
      'applications.admin.scope of startForTests must be a text.',
    ],
    [
      'a lifetime of no time',
      { admin: { idleTtl: 0 } },
      'applications.admin.idleTtl of startForTests must be a whole number of seconds from 1 to 31536000.',
    ],
    [
      'a lifetime as text',
      { admin: { sessionTtl: '60' } },
      'applications.admin.sessionTtl of startForTests must be a whole number',
    ],
    [
      'a flag as text',
      { admin: { requireAal2: 'yes' } },
      'applications.admin.requireAal2 of startForTests must be true or false.',
    ],
    [
      'one origin without an array',
      { admin: { passkeyOrigins: 'https://a.test' } },
      'applications.admin.passkeyOrigins of startForTests must be an array of texts.',
    ],
    [
      'one redirect URI without an array',
      { admin: { redirectUris: 'https://a.test/' } },
      'applications.admin.redirectUris of startForTests must be an array of texts.',
    ],
    [
      'a client that does not exist',
      { admin: { client: 'spa' } },
      'applications.admin.client of startForTests must be confidential or public.',
    ],
    [
      'a flag for PKCE',
      { admin: { pkce: true } },
      'applications.admin.pkce of startForTests must be required or optional.',
    ],
  ] as const)
    it(`throws a TypeError for ${what} of an application`, async () => {
      const error = await start({ applications: applications as unknown as Record<string, object> }).catch(
        (thrown) => thrown,
      )
      expect(error).to.be.instanceOf(TypeError)
      expect(error.message).to.satisfy((text: string) => text.startsWith(message))
    })

  for (const [options, origins] of [
    [{}, ['https://portcullis.test']],
    [{ settings: { PUBLIC_URL: 'https://auth.example.com/in' } }, ['https://auth.example.com']],
    [{ settings: { PASSKEY_RP_ID: 'example.com' } }, ['https://example.com']],
    [{ listen: true }, ['http://localhost']],
    [{ settings: { PASSKEY_RP_ID: '' } }, []],
    [{ settings: { PASSKEY_RP_ID: undefined } }, ['https://portcullis.test']],
    [
      { settings: { PASSKEY_RP_ID: 'localhost' }, passkeyOrigins: ['http://localhost:3000'] },
      ['http://localhost:3000'],
    ],
  ] satisfies ReadonlyArray<readonly [TestOptions, ReadonlyArray<string>]>)
    it(`permits passkeys at [${origins.join()}] with ${JSON.stringify(options)}`, async () => {
      expect((await start(options)).application.passkeyOrigins).to.deep.equal(origins)
    })

  const memory = () => ({ store: memoryStore() })
  const KEEPS = /^startForTests keeps all data in memory\. Remove/
  for (const [what, options, message] of [
    ['SQLite', { settings: { DATABASE_URL: 'sqlite:./a.db' } }, KEEPS],
    ['PostgreSQL', { settings: { DATABASE_URL: 'postgres://u:secret@h/d' } }, KEEPS],
    ['a file with a URL', { settings: { DATABASE_URL_FILE: './url' } }, KEEPS],
    ['a direct URL', { settings: { DATABASE_DIRECT_URL: 'postgres://u:secret@h/d' } }, KEEPS],
    ['a pool', { settings: { DATABASE_POOL_SIZE: '2' } }, KEEPS],
    ['another storage', { modules: [provide(Dependency.storage, memory)] }, KEEPS],
    ['another store', { modules: [provide(Dependency.store, memoryStore)] }, KEEPS],
    ['other settings', { modules: [provide(Dependency.settings, () => settings())] }, KEEPS],
    ['a port', { settings: { PORT: '8080' } }, /^startForTests chooses PORT\. Remove it/],
    ['a host', { settings: { HOST: '0.0.0.0' } }, /^startForTests chooses HOST\. Remove it/],
    [
      'a URL of a service that listens',
      { settings: { PUBLIC_URL: 'http://a.test' }, listen: true },
      /^startForTests chooses PUBLIC_URL\. Remove it/,
    ],
    ['a misspelt setting', { settings: { DATABSE_URL: 'sqlite:x' } }, /Did you mean DATABASE_URL\?/],
    ['a wrong URL', { settings: { PUBLIC_URL: 'nowhere' } }, /PUBLIC_URL must be an http or https URL/],
    [
      'an unknown scope',
      { scope: 'users:all' },
      /^startForTests cannot make its application tests\. scope must be one or more of users:sign_in, .*got "users:all"\.$/,
    ],
    ['a module that is none', { modules: [{} as Module] }, /^A module must be a call of provide\(…\)\.$/],
    ['a misspelt option', { scopes: 'users:read' } as TestOptions, /^scopes of startForTests is unknown\./],
    [
      'one redirect URI without a list',
      { redirectUris: 'https://a.test/b' } as unknown as TestOptions,
      /^redirectUris of startForTests must be an array of texts\.$/,
    ],
    [
      'a password rule that refuses its user',
      { modules: [provide(Dependency.passwordRules, () => [NO_PASSWORD])] },
      /^startForTests cannot make its user\. A password rule refuses its random password/,
    ],
    [
      'a lifetime that outlives its session',
      { applications: { admin: { userTokenTtl: 60, sessionTtl: 30 } } },
      /its application admin\. User tokens of 60 seconds .* Set sessionTtl to at least 60, or userTokenTtl to at most 30\.$/,
    ],
    [
      'a wrong origin',
      { passkeyOrigins: ['http://a.test'] },
      /its application tests\. A passkey origin must be .*got "http:\/\/a\.test"\.$/,
    ],
    [
      'a wrong redirect URI',
      { redirectUris: ['https://a.test/#b'] },
      /its application tests\. redirectUris must have no fragment .*got "https:\/\/a\.test\/#b"\.$/,
    ],
    [
      'a public client without PKCE',
      { applications: { app: { client: 'public', pkce: 'optional' } } },
      /its application app\. client public requires PKCE\. Add pkce required\.$/,
    ],
  ] satisfies ReadonlyArray<readonly [string, TestOptions, RegExp]>)
    it(`refuses ${what}, and says what to do`, async () => {
      const error = await start(options).then(
        () => 'it starts',
        ({ message }) => message,
      )
      expect(error)
        .to.match(message)
        .and.not.match(/secret|_tag/)
    })

  it('stops once, and answers nothing afterwards', async () => {
    const service = await start({ listen: true })
    const stopped = service.stop()
    expect(service.stop()).to.equal(stopped)
    await stopped
    await service.stop()
    const late = await service.fetch(new Request(service.url)).catch(({ message }) => message)
    expect(late).to.equal('The service has stopped, so it answers no request.')
  })
})
