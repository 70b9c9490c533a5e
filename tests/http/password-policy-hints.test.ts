import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide } from '../../adapters/index.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { httpClient } from '../support/http-client.ts'
import { startNistService } from '../support/nist-service.ts'
import { ruleAgainst } from '../support/password-rules.ts'
import { settings } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const GET = { method: 'GET', path: '/api/v1/password_policy' }
const CONTRACT = { policy: 'contract', minimum_length: 1, maximum_length: null, checks: [], rules: [] }
const WITHOUT_LIST = {
  policy: 'nist',
  minimum_length: 15,
  maximum_length: null,
  checks: ['names', 'common', 'guessable'],
  rules: [],
}
const ALL = { ...WITHOUT_LIST, checks: ['leaked', 'names', 'common', 'guessable'] }

const RULES = provide(Dependency.passwordRules, () => [ruleAgainst('shop'), ruleAgainst('tea')])
const PARTS = [
  provide(Dependency.leakedPasswords, () => leakedAre('leaked')),
  provide(Dependency.passwordEstimator, () => plainEstimator),
]

/** A service without users: those of `withService` have short passwords. */
const withPolicy = async (
  environment: Environment,
  use: (send: ReturnType<typeof httpClient>['send']) => Promise<void>,
  ...modules: ReadonlyArray<Module>
): Promise<void> => {
  const service = await compose(settings(environment), ...modules)
  const { send, close } = httpClient(`http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`)
  try {
    await use(send)
  } finally {
    await close()
    await service.stop()
  }
}

describe('GET /api/v1/password_policy', () => {
  for (const [what, environment, modules, expected] of [
    ['the default and rules', {}, [RULES], { ...CONTRACT, rules: ['no-shop', 'no-tea'] }],
    [
      'another minimum length, and no list',
      { PASSWORD_POLICY: 'nist', PASSWORD_MIN_LENGTH: '8' },
      [],
      { ...WITHOUT_LIST, minimum_length: 8 },
    ],
    [
      'a list of the program, and rules',
      { PASSWORD_POLICY: 'nist' },
      [...PARTS, RULES],
      { ...ALL, rules: ['no-shop', 'no-tea'] },
    ],
  ] as const)
    it(`shows what is active with ${what}`, () =>
      withPolicy(
        environment,
        async (send) => {
          const { status, body } = await send(GET)
          expect({ status, body }).to.deep.equal({ status: 200, body: expected })
        },
        ...modules,
      ))

  it('shows the check of leaked passwords with PASSWORD_LEAKED_FILE', async () => {
    const { send, stop } = await startNistService()
    expect((await send(GET)).body).to.deep.equal(ALL)
    await stop()
  })

  it('needs no token, may be cached for a minute, and answers 304 to its ETag', () =>
    withService({}, async ({ send }) => {
      const { status, headers, body } = await send({ ...GET, headers: { Authorization: 'Bearer wrong' } })
      expect({ status, body }).to.deep.equal({ status: 200, body: CONTRACT })
      expect(headers['cache-control']).to.equal('public, max-age=60')
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(headers.etag).to.match(/^"[\w-]{43}"$/)

      const head = await send({ ...GET, method: 'HEAD' })
      expect(head.status).to.equal(200)
      expect(head.headers.etag).to.equal(headers.etag)
      expect(head.headers['content-length']).to.equal(headers['content-length'])

      for (const method of ['GET', 'HEAD']) {
        const same = await send({ ...GET, method, headers: { 'If-None-Match': `${headers.etag}` } })
        expect(same.status).to.equal(304)
        expect(same.headers).to.include({ etag: headers.etag, 'cache-control': 'public, max-age=60' })
      }
      const other = await send({ ...GET, headers: { 'If-None-Match': '"other"' } })
      expect(other.status).to.equal(200)
    }))

  it('has another ETag under another policy', () =>
    withPolicy({}, (one) =>
      withPolicy({ PASSWORD_POLICY: 'nist' }, async (another) => {
        expect((await one(GET)).headers.etag).not.to.equal((await another(GET)).headers.etag)
      }),
    ))
})
