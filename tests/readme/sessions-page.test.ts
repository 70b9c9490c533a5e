import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { httpClient } from '../support/http-client.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const page = readFileSync('docs/sessions.md', 'utf8')
const [renewal = ''] = codeIn(partOf(page, '## 2. Renew a session'), 'sh')
const [, said = ''] = /^200: `(\{.*\})`/m.exec(partOf(page, '## 2. Renew a session')) ?? []

/** The rows of the table of products. */
const PRODUCTS = [
  ...page.matchAll(/^\| ([a-z ]+) \| (\d+ \w+) \| (\d+ \w+) \| `(application set (\w+) .*)` \|$/gm),
].map(([, product = '', idle = '', lasts = '', command = '', name = '']) => ({
  product,
  idle,
  lasts,
  command,
  name,
}))

const SECONDS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 }

const secondsIn = (text: string): number => {
  const [count, unit = ''] = text.split(' ')
  return Number(count) * (SECONDS[unit] ?? Number.NaN)
}

describe('docs/sessions.md', () => {
  const { portcullis, serve, remove } = workplace()
  const USER = { email: 'ada@example.com', password: 'correct horse' }
  let server: ServingHere
  let client: ReturnType<typeof httpClient>
  before(async () => {
    server = await serve()
    client = httpClient(server.url)
    await portcullis(`user create --email ${USER.email} --password-stdin`, { input: USER.password })
  })
  after(async () => {
    await client.close()
    expect(await server.end()).to.equal(0)
    await remove()
  })

  const post = async (path: string, body: object, token?: string) =>
    (await client.send({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) })).body
  const tokensOf = async (name: string) => {
    const keys = JSON.parse((await portcullis(`application create --name ${name} --json`)).out)
    const application = (await post('/api/v1/auth/application/token', keys)).token
    return { application, signIn: () => post('/api/v1/auth/user/token', USER, application) }
  }

  it('has a web shop, a mobile application and a bank page', () => {
    expect(PRODUCTS.map(({ name }) => name)).to.deep.equal(['shop', 'mobile', 'bank'])
  })

  for (const { product, idle, lasts, command, name } of PRODUCTS)
    it(`has a command that lets a user of a ${product} be idle for ${idle}, and a session last ${lasts}`, async () => {
      const { signIn } = await tokensOf(name)
      expect(await portcullis(command)).to.include({ status: 0, err: 'Changed.\n' })
      const answer = await signIn()
      expect(answer).to.include({ expires_in: secondsIn(idle), session_expires_in: secondsIn(idle) })
      const path = '/api/v1/profile/sessions'
      const { sessions } = (await client.send({ method: 'GET', path, token: answer.token })).body
      const current = sessions.find((one: { current: boolean }) => one.current)
      // Both follow the second in which the token was signed. `created_at` is that of the commit, which may be the next one.
      const seconds = (Date.parse(current.ends_at) - Date.parse(current.expires_at)) / 1000
      expect(seconds).to.equal(secondsIn(lasts) - secondsIn(idle))
      expect(current.application_name).to.equal(name)
    })

  it('has a command with which one application remembers users and serves others', async () => {
    const part = partOf(page, '## 5. Remember me')
    const [command = ''] = codeIn(part, 'sh')
    const { application, signIn } = await tokensOf('remembering')
    const line = command
      .trim()
      .replace(/^portcullis /, '')
      .replace(' shop ', ' remembering ')
    expect(await portcullis(line)).to.include({ status: 0, err: 'Changed.\n' })
    const [, ordinary, remembered] = /`session_expires_in`: (\d+) or (\d+) seconds/.exec(part) ?? []
    const [, token] = /`expires_in` is always (\d+)\./.exec(part) ?? []
    expect(await signIn()).to.include({ expires_in: Number(token), session_expires_in: Number(ordinary) })
    const body = { ...USER, remember: true }
    expect(await post('/api/v1/auth/user/token', body, application)).to.include({
      expires_in: Number(token),
      session_expires_in: Number(remembered),
    })
  })

  it('has a curl line that renews a session, and its answer', async () => {
    const { application, signIn } = await tokensOf('another')
    const { token, user_id } = await signIn()
    const line = renewal.replace('http://127.0.0.1:8080', server.url)
    const env = { ...process.env, APP_TOKEN: application, USER_TOKEN: token }
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', line], { env })
    const answer = JSON.parse(stdout)
    expect(Object.keys(answer)).to.deep.equal(Object.keys(JSON.parse(said)))
    expect(answer).to.include({ user_id })
    expect(answer.token).to.not.equal(token)
  })
})
