import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { ROOT } from '../architecture/root.ts'
import { type AtItsUrl, startAtItsUrl } from '../oauth/at-its-url.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { claimsOf } from '../support/token-claims.ts'
import { codeIn, partOf } from './page.ts'

const page = readFileSync(join(ROOT, 'docs/assurance.md'), 'utf8')
const [stepUp = ''] = codeIn(page, 'sh')
const [, said = ''] = /^200: `(\{.*\})`/m.exec(partOf(page, '## 2. Step up')) ?? []
const protect = partOf(page, '## 3. Protect a route')
const script = readFileSync(join(ROOT, 'tests/examples/verify/pay.mjs'), 'utf8')
const [, challenge = ''] = /^WWW-Authenticate: (.*)$/m.exec(protect) ?? []
const pay = /^ +(curl .*)$/m.exec(protect)?.[1] ?? ''
const introspect = partOf(readFileSync(join(ROOT, 'docs/verify-tokens.md'), 'utf8'), '## Introspection')
const asking = /^curl .*$/m.exec(introspect)?.[0] ?? ''
const [, shown = ''] = /^\| a valid user token \| `(\{.*\})` \|$/m.exec(introspect) ?? []

const USER = { email: 'ada@example.com', password: 'PASSWORD' }
const MAX_AGE = 600

describe('docs/assurance.md', function () {
  this.timeout(60_000)
  /** How far the clock of the service is behind, in seconds. */
  let behind = 0
  let at: AtItsUrl
  let gate = ''
  let signIn: () => Promise<string>
  let server: ChildProcess
  let shop = ''

  before(async () => {
    const clock = provide(Dependency.clock, () => () => Date.now() - behind * 1000)
    at = await startAtItsUrl('', { USER_TOKEN_FORMAT: 'jwt' }, clock)
    const { service } = at
    await succeed(service.registerUser(CONTEXT, USER, OPERATOR))
    const tokenFor = async (scope: string) => {
      const { client_id, secret } = await at.register(scope)
      const keys = { publicApiKey: client_id, privateApiKey: secret }
      return (await succeed(service.issueApplicationToken(CONTEXT, keys))).token
    }
    gate = await tokenFor('tokens:introspect')
    const caller = await succeed(service.authenticate(CONTEXT, 'signIn', await tokenFor('users:sign_in')))
    signIn = async () => (await succeed(service.signIn(CONTEXT, caller, USER))).token
    const port = await freePort()
    shop = `http://127.0.0.1:${port}`
    server = spawn(
      process.execPath,
      ['--input-type=module', '-', at.issuer.href.replace(/\/$/, ''), `${port}`],
      { cwd: ROOT, env: {}, stdio: ['pipe', 'inherit', 'inherit'] },
    )
    server.stdin?.end(script)
    await eventually('the server of the page', () => fetch(shop).catch(() => undefined))
  })
  beforeEach(() => {
    behind = 0
  })
  after(async () => {
    server.kill()
    await at.service.stop()
  })

  /** Runs a line of the page. */
  const run = async (line: string, env: Record<string, string>): Promise<string> => {
    const here = line
      .replace('http://127.0.0.1:8080', at.issuer.href.replace(/\/$/, ''))
      .replace('http://127.0.0.1:3000', shop)
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', here], {
      env: { ...process.env, ...env },
    })
    return stdout
  }
  const paid = async (token: string) => {
    const [head = '', body = ''] = (await run(pay, { USER_TOKEN: token })).split('\r\n\r\n')
    return {
      status: Number(head.split(' ')[1]),
      challenge: /^WWW-Authenticate: (.*?)\r?$/im.exec(head)?.[1],
      body,
    }
  }
  const steppedUp = async (token: string) => JSON.parse(await run(stepUp, { USER_TOKEN: token }))

  it('has a curl line that steps up, and its answer', async () => {
    const token = await signIn()
    const answer = await steppedUp(token)
    expect(Object.keys(answer)).to.deep.equal(Object.keys(JSON.parse(said)))
    expect(answer).to.deep.include({ acr: JSON.parse(said).acr, amr: JSON.parse(said).amr })
    expect(claimsOf(answer.token).sid).to.equal(claimsOf(token).sid)
  })

  it('has a server that takes a payment within ten minutes after the sign-in', async () => {
    behind = MAX_AGE - 60
    const token = await signIn()
    const { status, body } = await paid(token)
    expect([status, body]).to.deep.equal([200, `${claimsOf(token).sub} has paid\n`])
  })

  it('has a server that later asks for a step-up, as shown, and then takes the payment', async () => {
    behind = MAX_AGE + 60
    const token = await signIn()
    expect(await paid(token)).to.include({ status: 401, challenge })
    behind = 0
    const { token: newer } = await steppedUp(token)
    expect(await paid(newer)).to.include({ status: 200, challenge: undefined })
    expect(await paid(token), 'the former token gains nothing').to.include({ status: 401, challenge })
  })

  it('has a server that does not ask a user again after a new sign-in', async () => {
    behind = MAX_AGE + 60
    expect((await paid(await signIn())).status).to.equal(401)
    behind = 0
    expect((await paid(await signIn())).status).to.equal(200)
  })

  it('has a server that refuses other requests as RFC 6750 says', async () => {
    expect(await paid('')).to.include({ status: 401, challenge: 'Bearer realm="pay"' })
    for (const token of [gate, 'nonsense'])
      expect(await paid(token)).to.include({
        status: 401,
        challenge: 'Bearer realm="pay", error="invalid_token"',
      })
  })

  it('leads to a line that introspects, and the fields of its answer', async () => {
    const token = await signIn()
    const answer = JSON.parse(await run(asking, { GATE_TOKEN: gate, TOKEN: token }))
    const fields = [...shown.matchAll(/"(\w+)":/g)].map(([, name]) => name)
    expect(Object.keys(answer)).to.include.members(fields)
    expect(fields).to.include.members(['auth_time', 'acr', 'amr'])
    expect(answer).to.deep.include({ active: true, kind: 'user', acr: 'aal1', amr: ['pwd'] })
    expect(answer.auth_time).to.equal(claimsOf(token).auth_time)
  })
})
