import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { KeyPurpose, SigningKey } from '../../domain/signing-key.ts'
import { ROOT } from '../architecture/root.ts'
import { type AtItsUrl, startAtItsUrl } from '../oauth/at-its-url.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { bytesOf, forgeJws, forgeJwt, forgePaseto, halvesOf, jwtHeader } from '../tokens/forge.ts'
import { codeIn } from './page.ts'

const page = readFileSync(join(ROOT, 'docs/verify-user-tokens.md'), 'utf8')

/** Debian's, because it sees Debian's packages. */
const PYTHON = '/usr/bin/python3'

const python = (modules: string) => (): boolean => {
  try {
    execFileSync(PYTHON, ['-c', `import ${modules}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const hasGo = () => (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')))

/** Prepares a script of the page in a folder, and returns the words that run it, and the script if it comes from standard input. */
type Prepare = (folder: string) => Readonly<{ command: string; words: ReadonlyArray<string>; input?: string }>

const inNode =
  (read: () => string): Prepare =>
  () => ({ command: process.execPath, words: ['--input-type=module', '-'], input: read() })
const fileOf = (name: string): string => readFileSync(join(ROOT, 'tests/examples/verify', name), 'utf8')
const inPython =
  (name: string): Prepare =>
  () => ({ command: PYTHON, words: ['-'], input: fileOf(name) })
const inGo: Prepare = (folder) => {
  writeFileSync(join(folder, 'main.go'), fileOf('main.go'))
  const env = {
    PATH: process.env.PATH,
    GO111MODULE: 'off',
    GOTOOLCHAIN: 'local',
    GOCACHE: join(folder, 'cache'),
  }
  const built = spawnSync('go', ['build', '-o', 'verify', 'main.go'], { cwd: folder, env, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the program does not compile: ${built.stderr}`)
  return { command: join(folder, 'verify'), words: [] }
}

const SCRIPTS: ReadonlyArray<
  Readonly<{ name: string; format: 'jwt' | 'paseto'; prepare: Prepare; needs?: string; have?: () => boolean }>
> = [
  { name: 'the first script, with jose', format: 'jwt', prepare: inNode(() => codeIn(page, 'js')[0] ?? '') },
  {
    name: 'JWT in Python',
    format: 'jwt',
    prepare: inPython('jwt.py'),
    needs: 'PyJWT: apt-get install python3-jwt python3-cryptography',
    have: python('jwt, cryptography'),
  },
  { name: 'JWT in Go', format: 'jwt', prepare: inGo, needs: 'Go: make go', have: hasGo },
  { name: 'PASETO in Node.js', format: 'paseto', prepare: inNode(() => fileOf('paseto.mjs')) },
  {
    name: 'PASETO in Python',
    format: 'paseto',
    prepare: inPython('paseto.py'),
    needs: 'cryptography: apt-get install python3-cryptography',
    have: python('cryptography'),
  },
]

type Issued = Readonly<{
  at: AtItsUrl
  user: string
  /** A user token in the format, and the token of the application that signed the user in. */
  token: string
  application: string
  key: (purpose: KeyPurpose) => SigningKey
}>

const issue = async (format: 'jwt' | 'paseto'): Promise<Issued> => {
  const at = await startAtItsUrl('', { USER_TOKEN_FORMAT: format })
  const { service } = at
  const credentials = { email: 'ada@example.com', password: 'pw' }
  const { id } = await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))
  await succeed(service.changeUserRoles(CONTEXT, id, { add: ['editor', 'shop:admin'], remove: [] }))
  const keys = await at.register('users:sign_in')
  const issued = await succeed(
    service.issueApplicationToken(CONTEXT, { publicApiKey: keys.client_id, privateApiKey: keys.secret }),
  )
  const caller = await succeed(service.authenticate(CONTEXT, 'signIn', issued.token))
  const { token } = await succeed(service.signIn(CONTEXT, caller, credentials))
  const stored = await succeed(service.store.listSigningKeys())
  const key = (purpose: KeyPurpose): SigningKey => {
    const found = stored.find((one) => one.purpose === purpose)
    if (found === undefined) throw new Error(`no key for ${purpose}`)
    return found
  }
  return { at, user: id, token, application: issued.token, key }
}

type Bad = readonly [what: string, token: (issued: Issued) => string]

const HOUR = 3_600
const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** A token by the key of user tokens as JWT, with changed claims or another header. */
const jwt = ({ token, key }: Issued, claims: object, header: object = {}): string => {
  const by = key('user_jwt')
  return forgeJwt(
    by,
    JSON.stringify({ ...decodeJwt(token), ...claims }),
    JSON.stringify({ ...jwtHeader(by), ...header }),
  )
}
const unsigned = ({ token, key }: Issued, alg: string, sign: (signed: Buffer) => Uint8Array | string) =>
  forgeJws(JSON.stringify({ ...jwtHeader(key('user_jwt')), alg }), JSON.stringify(decodeJwt(token)), sign)

const BAD_JWTS: ReadonlyArray<Bad> = [
  ['a text', () => 'nonsense'],
  ['another signature', ({ token }) => token.replace(/[^.]+$/, Buffer.alloc(64, 1).toString('base64url'))],
  ['an application token', ({ application }) => application],
  ['alg none', (issued) => unsigned(issued, 'none', () => '')],
  [
    'the public key as the secret of HS256',
    (issued) => {
      const { x } = halvesOf(issued.key('user_jwt'))
      return unsigned(issued, 'HS256', (signed) => createHmac('sha256', bytesOf(x)).update(signed).digest())
    },
  ],
  ['typ JWT', (issued) => jwt(issued, {}, { typ: 'JWT' })],
  ['an unknown kid', (issued) => jwt(issued, {}, { kid: 'another' })],
  ['another issuer', (issued) => jwt(issued, { iss: 'https://attacker.example' })],
  ['another audience', (issued) => jwt(issued, { aud: 'https://attacker.example' })],
  ['an exp an hour ago', (issued) => jwt(issued, { exp: nowSeconds() - HOUR })],
  ['no exp', (issued) => jwt(issued, { exp: undefined })],
  ['no sid', (issued) => jwt(issued, { sid: undefined })],
  [
    'the key of application tokens, under the id of the other',
    ({ token, key }) =>
      forgeJwt(
        key('application'),
        JSON.stringify(decodeJwt(token)),
        JSON.stringify(jwtHeader(key('user_jwt'))),
      ),
  ],
]

const pasetoClaims = ({ token }: Issued): object =>
  JSON.parse(
    bytesOf(token.split('.')[2] ?? '')
      .subarray(0, -64)
      .toString(),
  )
const paseto = (issued: Issued, claims: object, changed: object = {}): string =>
  forgePaseto(issued.key('user'), JSON.stringify({ ...pasetoClaims(issued), ...claims }), changed)

const BAD_PASETOS: ReadonlyArray<Bad> = [
  ['a text', () => 'nonsense'],
  ['an application token', ({ application }) => application],
  ['one changed letter', ({ token }) => token.replace(/^(v4\.public\..{20})./, '$1-')],
  ['another version', ({ token }) => token.replace('v4', 'v2')],
  ['an unknown kid', (issued) => paseto(issued, {}, { footer: '{"kid":"another"}' })],
  ['another issuer', (issued) => paseto(issued, { iss: 'https://attacker.example' })],
  [
    'an exp an hour ago',
    (issued) => paseto(issued, { exp: new Date(Date.now() - HOUR * 1000).toISOString() }),
  ],
  ['no exp', (issued) => paseto(issued, { exp: undefined })],
]

for (const { name, format, prepare, needs, have = () => true } of SCRIPTS)
  describe(`docs/verify-user-tokens.md, ${name}`, function () {
    this.timeout(120_000)
    if (!have()) {
      it(`needs ${needs}`, function () {
        if (process.env.CI) throw new Error(`There is no ${needs}`)
        this.skip()
      })
      return
    }

    const folder = mkdtempSync(join(tmpdir(), 'portcullis-verify-'))
    let issued: Issued
    let script: ReturnType<Prepare>
    before(async () => {
      issued = await issue(format)
      script = prepare(folder)
    })
    after(async () => {
      rmSync(folder, { recursive: true })
      await issued.at.service.stop()
    })

    const issuerOf = () => issued.at.issuer.href.replace(/\/$/, '')
    const run = (token: string, issuer = issuerOf(), ...roles: ReadonlyArray<string>) =>
      new Promise<Readonly<{ failed: boolean; out: string; err: string }>>((resolve) => {
        const { command, words, input } = script
        const child = execFile(
          command,
          [...words, issuer, token, ...roles],
          { cwd: ROOT, env: {} },
          (error, out, err) => resolve({ failed: error !== null, out, err }),
        )
        child.stdin?.end(input)
      })

    it('prints the user of a valid token', async () => {
      expect(await run(issued.token)).to.deep.equal({ failed: false, out: `${issued.user}\n`, err: '' })
    })

    it('still does so after a sign-out, which it cannot know', async () => {
      const { service } = issued.at
      const caller = await succeed(service.authenticate(CONTEXT, 'signOut', issued.token))
      await succeed(service.signOut(CONTEXT, caller))
      expect((await run(issued.token)).out).to.equal(`${issued.user}\n`)
    })

    it('tells whether the user of a token has a role', async () => {
      for (const roles of [['shop:admin'], ['shop:admin', 'editor']])
        expect(await run(issued.token, issuerOf(), ...roles)).to.include({ failed: false })
      for (const roles of [['admin'], ['Editor'], ['editor', 'admin'], ['editor,shop:admin'], ['']])
        expect(await run(issued.token, issuerOf(), ...roles)).to.include({ failed: true, out: '' })
      const none = (format === 'jwt' ? jwt : paseto)(issued, { roles: undefined })
      expect(await run(none)).to.include({ failed: false })
      expect(await run(none, issuerOf(), 'editor')).to.include({ failed: true, out: '' })
    })

    for (const [what, token] of format === 'jwt' ? BAD_JWTS : BAD_PASETOS)
      it(`fails for a token with ${what}`, async () => {
        const refused = await run(token(issued))
        expect(refused).to.include({ failed: true, out: '' })
        expect(refused.err).not.to.equal('')
      })

    it('fails without the service', async () => {
      expect(await run(issued.token, 'http://127.0.0.1:9')).to.include({ failed: true, out: '' })
    })
  })
