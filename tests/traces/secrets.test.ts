import { inspect } from 'node:util'
import { expect } from 'chai'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { spellingsOf } from '../support/spellings.ts'
import { collectedSpans } from './collected-spans.ts'

/** All attributes that a span may have. */
const ATTRIBUTES = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'url.scheme',
  'server.address',
  'network.protocol.version',
  'portcullis.request_id',
  'portcullis.events',
  'portcullis.outcome',
  'error.type',
]

const ROUTES = [
  '/api/v1/auth/application/token',
  '/api/v1/auth/user/token',
  '/api/v1/users',
  '/api/v1/profile',
  '/api/v1/profile/change_password',
  '/oauth2/introspect',
  '/healthz',
  '/metrics',
]

describe('spans', () => {
  const { taken } = collectedSpans()
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  it('contain no path, e-mail, password, token, key or header of any request', async () => {
    const applicationToken = await running.applicationToken()
    const userToken = await running.userToken()
    const { email, password } = running.user
    const { public_api_key: publicKey, private_api_key: privateKey } = running.keys
    const secrets = [email, password, 'canary-battery', applicationToken, userToken, publicKey, privateKey]
    const fields = { email, password, token: userToken, ...running.keys, old_password: password }
    const headers = (token: string | undefined, type: string) => [
      `X-Request-Id: ${secrets.join(' ')}`,
      'X-Any: canary-header',
      'User-Agent: canary-agent',
      'Cookie: canary-cookie',
      `Content-Type: ${type}`,
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ]
    taken()
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'MKCOL']) {
      for (const path of [...ROUTES, '/canary-path', '/healthz/canary-path']) {
        for (const token of [undefined, applicationToken, userToken, 'canary-token']) {
          const body = JSON.stringify({
            ...fields,
            password: token === undefined ? password : 'canary-battery',
          })
          const target = `${path}?${encodeURIComponent(secrets.join(' '))}`
          await sendRaw(running.port, requestText(method, target, headers(token, 'application/json'), body))
        }
      }
    }
    const spans = taken()
    expect(spans.length).to.be.above(250)
    const told = spans.map(({ name, attributes, events, links, status, resource }) =>
      inspect(
        { name, attributes, events, links, status, own: resource.attributes },
        { depth: 9 },
      ).toLowerCase(),
    )
    for (const secret of [...secrets, 'canary']) {
      for (const spelling of spellingsOf(secret).map((text) => text.toLowerCase())) {
        expect(told.filter((text) => text.includes(spelling))).to.deep.equal([])
      }
    }
    expect(ATTRIBUTES).to.include.members([
      ...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes))),
    ])
    const names = new Set(spans.map(({ name }) => name.replace(/^[A-Z]+ ?/, '')))
    expect([...ROUTES, '', 'commit', 'verify password', 'hash password']).to.include.members([...names])
  })
})
