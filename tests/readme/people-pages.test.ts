import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { ROOT } from '../architecture/root.ts'
import { httpClient } from '../support/http-client.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const pageOf = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8')
const [vouched, roles, attributes, administration, gateway] = [
  'vouched-sign-in.md',
  'roles.md',
  'attributes.md',
  'administration.md',
  'verify-user-tokens.md',
].map(pageOf) as [string, string, string, string, string]

/** The line of a block that begins so, with the lines that continue it. */
const lineIn = (block: string, start: string): string => {
  const from = `\n${block}`.indexOf(`\n${start}`)
  if (from < 0) throw new Error(`no line begins with ${start}`)
  return /^(?:.*\\\n)*.*/.exec(block.slice(from))?.[0] ?? ''
}

/** The recipes for people, with the words of the pages. */
describe('the lines of the pages about people', () => {
  const { portcullis, serve, remove } = workplace(() => ({ USER_TOKEN_FORMAT: 'jwt' }))
  const ADA = { email: 'ada@example.com', password: 'correct horse' }
  let folder: string
  let server: ServingHere
  let client: ReturnType<typeof httpClient>
  let ada: string
  before(async () => {
    folder = mkdtempSync(join(ROOT, 'dist', 'people-')) // here, programs find the packages
    server = await serve()
    client = httpClient(server.url)
    const made = await portcullis(`user create --email ${ADA.email} --password-stdin --json`, {
      input: ADA.password,
    })
    ada = JSON.parse(made.out).id
  })
  after(async () => {
    rmSync(folder, { recursive: true })
    await client.close()
    expect(await server.end()).to.equal(0)
    await remove()
  })

  const post = async (path: string, body: object, token?: string) =>
    (await client.send({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) })).body
  /** Runs a line of a page that begins with `portcullis`. */
  const command = async (line: string, ...more: ReadonlyArray<string>) => {
    const words =
      line
        .trim()
        .replace(/^portcullis /, '')
        .match(/"[^"]*"|\S+/g) ?? []
    const ended = await portcullis([...words.map((word) => word.replaceAll('"', '')), ...more])
    expect(ended.status, line).to.equal(0)
    return ended.out
  }
  let made = 0
  /** The API keys of a new application, and its token. */
  const application = async (scope: string) => {
    made += 1
    const keys = JSON.parse(await command(`application create --name a${made} --json --scope "${scope}"`))
    return { keys, token: (await post('/api/v1/auth/application/token', keys)).token }
  }
  const signIn = async () => post('/api/v1/auth/user/token', ADA, (await application('users:sign_in')).token)
  /** The answer to a curl line of a page. */
  const curl = async (line: string, environment: Readonly<Record<string, string>>) => {
    const real = line.replace('http://127.0.0.1:8080', server.url).replaceAll('USER_ID', ada)
    const env = { ...process.env, ...environment }
    return JSON.parse((await promisify(execFile)('sh', ['-e', '-c', real], { env })).stdout)
  }
  /** What a program prints that begins with these constants, and goes on with code of a page. */
  const program = async (constants: object, code: string, words: ReadonlyArray<string> = []) => {
    const file = join(folder, 'program.mjs')
    writeFileSync(
      file,
      `${Object.entries(constants)
        .map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`)
        .join('\n')}\n${code}\n`,
    )
    return (await promisify(execFile)(process.execPath, [file, ...words])).stdout
  }

  it('give a role, change roles with curl, and say what the answer is', async () => {
    const [give = '', change = ''] = codeIn(roles, 'sh')
    expect(await command(give)).to.match(/^roles +shop:admin$/m)
    await command('user roles ada@example.com --add editor')
    const { token } = await application('users:roles')
    const [, answer = ''] = /^200: `(\{.*?\})`/m.exec(partOf(roles, '## Change roles')) ?? []
    expect(await curl(change, { TOKEN: token })).to.deep.equal({ ...JSON.parse(answer), user_id: ada })
  })

  it('tell a gateway without a call who is an administrator', async () => {
    const part = partOf(gateway, '## Who is an administrator, in a gateway without a call')
    const [, give = ''] = /`(portcullis user roles [^`]*)`/.exec(part) ?? []
    const [, script = '', role = ''] =
      /`node (\S+) http:\/\/127.0.0.1:8080 "\$USER_TOKEN" (\S+)`/.exec(part) ?? []
    expect([script, role]).to.deep.equal(['verify.mjs', 'shop:admin'])
    const [verify = ''] = codeIn(gateway, 'js')
    const outcome = async () => {
      const { token } = await signIn()
      return program({}, verify, [server.url, token, role]).catch(() => 'refused')
    }
    await command('user roles ada@example.com --remove shop:admin')
    expect(await outcome()).to.equal('refused')
    await command(give)
    expect(await outcome()).to.equal(`${ada}\n`)
  })

  it('change attributes with curl, and say what the answer is', async () => {
    const [change = ''] = codeIn(attributes, 'sh')
    const [, answer = ''] = /^200: all attributes that are set, here `(.*)`\.$/m.exec(attributes) ?? []
    expect(await curl(change, { USER_TOKEN: (await signIn()).token })).to.deep.equal(JSON.parse(answer))
  })

  it('find a user, and show it', async () => {
    const [search = ''] = codeIn(administration, 'sh')
    const { keys, token } = await application('users:read')
    await post('/api/v1/profile/attributes', { name: 'Ada Lovelace' }, (await signIn()).token)
    await command('user roles ada@example.com --add admin')
    expect((await curl(search, { TOKEN: token })).users).to.have.nested.property('[0].id', ada)
    const part = partOf(administration, '## 6. Find a user')
    const bodies = [...part.matchAll(/`(\{"[^`]*\})`/g)].map(([, body = '']) => JSON.parse(body))
    expect(bodies.map((body) => Object.keys(body)[0])).to.deep.equal(['email', 'email_prefix', 'name_prefix'])
    for (const body of bodies) {
      const { users, next } = await post('/api/v1/users/search', body, token)
      expect([users.map(({ id }: { id: string }) => id), next], JSON.stringify(body)).to.deep.equal([
        [ada],
        null,
      ])
    }
    const [one = '', two = '', all = ''] = [...part.matchAll(/`(auth\.[^`]*)`/g)].map(([, code = '']) => code)
    const code = `
      import { portcullis } from 'portcullis-client'
      const auth = portcullis({ url, publicApiKey, privateApiKey })
      const [{ id: userId }] = (await ${one}).users
      const shown = await ${two}
      const admins = []
      for await (const { id } of ${all}) admins.push(id)
      console.log(JSON.stringify([userId, shown.status, shown.emailVerified, shown.factors, shown.sessions.length > 0, admins]))`
    const { public_api_key: publicApiKey, private_api_key: privateApiKey } = keys
    const printed = await program({ url: server.url, publicApiKey, privateApiKey }, code)
    expect(JSON.parse(printed)).to.deep.equal([ada, 'enabled', false, [], true, [ada]])
  })

  it('sign a user in whom the own server has authenticated, and one who comes from Google', async () => {
    const [first = ''] = codeIn(vouched, 'sh')
    const keys = JSON.parse(await command(lineIn(first, 'portcullis '), '--json'))
    const { token } = await post('/api/v1/auth/application/token', keys)
    const answer = await curl(lineIn(first, 'curl '), { APP_TOKEN: token })
    expect(answer).to.deep.include({ user_id: ada, acr: 'aal1', amr: ['vouched', 'fed'] })

    const google = await issuer()
    try {
      const part = partOf(vouched, '## 1. Sign in with Google through your own server')
      writeFileSync(join(folder, 'google.mjs'), readFileSync(join(ROOT, 'tests/examples/google/google.mjs')))
      const code = part.match(/ {3}```js\n([\s\S]*?) {3}```/)?.[1] ?? ''
      const links =
        'const links = { userOf: async () => undefined, add: async (...link) => console.log(link.join()) }'
      const constants = {
        url: server.url,
        publicApiKey: keys.public_api_key,
        privateApiKey: keys.private_api_key,
        jwksUri: google.jwksUri,
        clientId: google.clientId,
        idToken: google.idToken,
        nonce: 'n',
      }
      const print = 'console.log(JSON.stringify([signedIn.ok, signedIn.userId, signedIn.amr]))'
      const printed = await program(constants, [links, code, print].join('\n'))
      const [link = '', signedIn = ''] = printed.split('\n')
      const [ok, userId, amr] = JSON.parse(signedIn)
      expect([ok, amr, link]).to.deep.equal([true, ['vouched', 'fed'], `google,1101,${userId}`])
    } finally {
      google.server.close()
    }
  })
})

/** Google, as far as the keys and an ID token show it. */
const issuer = async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: '1', alg: 'RS256' }] }
  const server: Server = createServer((_, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(keys)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const clientId = 'product.apps.googleusercontent.com'
  const claims = { sub: '1101', nonce: 'n', email: 'bob@example.com', email_verified: true }
  const idToken = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: '1' })
    .setIssuer('https://accounts.google.com')
    .setAudience(clientId)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  const { port } = server.address() as AddressInfo
  return { server, clientId, idToken, jwksUri: `http://127.0.0.1:${port}/keys` }
}
