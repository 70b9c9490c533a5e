import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { processWorkplace } from '../support/command.ts'

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const PACKAGES = Object.keys({ ...dependencies, ...optionalDependencies })

const HELP = ['commander', 'fp-ts']
const ON_SQLITE = [
  ...HELP,
  'better-sqlite3',
  'io-ts',
  'ipaddr.js',
  'paseto',
  'pino',
  'reflect-metadata',
  'scrypt-kdf',
  'uuid',
]

/** Commands, and the packages that they load. */
const COMMANDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  '--help': HELP,
  '--version': HELP,
  'user create': HELP,
  'application create --name shop': ON_SQLITE,
  'user list': ON_SQLITE,
  'keys list': ON_SQLITE,
  'events list': ON_SQLITE,
  doctor: ON_SQLITE,
}

describe('a command loads only the packages that it needs', () => {
  const { folder, portcullis, serve, remove } = processWorkplace()
  const loaded = join(folder, 'loaded')
  const environment = { NODE_V8_COVERAGE: loaded } // Node writes there which files a process has loaded
  beforeEach(() => mkdirSync(loaded))
  afterEach(() => rmSync(loaded, { recursive: true }))
  after(remove)

  /** A bundled file has a comment with the path before each module. */
  const loadedPackages = (): ReadonlyArray<string> => {
    const texts = readdirSync(loaded)
      .flatMap((name) => JSON.parse(readFileSync(join(loaded, name), 'utf8')).result)
      .filter(({ url }) => url.startsWith('file:'))
      .map(
        ({ url }) =>
          `// ${url}\n${/bundle\/(?:chunk|bundled)-/.test(url) ? readFileSync(new URL(url), 'utf8') : ''}`,
      )
    return PACKAGES.filter((name) =>
      texts.some((text) => new RegExp(`^// .*node_modules/${name}/`, 'm').test(text)),
    )
  }

  for (const [words, packages] of Object.entries(COMMANDS))
    it(words, async () => {
      await portcullis(words, { environment })
      expect(loadedPackages()).to.have.members(packages)
    })

  it('mail test, which opens no store', async () => {
    await portcullis('mail test ada@example.com', {
      environment: {
        ...environment,
        PUBLIC_URL: 'https://auth.example.com',
        MAIL_URL: 'smtps://127.0.0.1:1', // nothing listens
        MAIL_FROM: 'noreply@example.com',
        MAIL_CONTACT: 'help@example.com',
      },
    })
    expect(loadedPackages()).to.have.members([
      ...ON_SQLITE.filter((name) => name !== 'better-sqlite3'),
      'nodemailer',
    ])
  })

  it('doctor with an identity provider', async () => {
    const file = join(folder, 'identity-providers.json')
    const provider = { name: 'google', issuer: 'http://127.0.0.1:1', client_id: 'a', client_secret: 'b' } // nothing listens
    writeFileSync(file, JSON.stringify([provider]), { mode: 0o600 })
    const KEY_ENCRYPTION_KEY = `k:${'a'.repeat(32)}`
    await portcullis('doctor', {
      environment: { ...environment, KEY_ENCRYPTION_KEY, IDENTITY_PROVIDERS_FILE: file },
    })
    expect(loadedPackages()).to.have.members([...ON_SQLITE, 'openid-client'])
  })

  it('serve', async () => {
    const server = await serve('serve', environment)
    expect(await server.end()).to.equal(0)
    expect(loadedPackages()).to.have.members([
      ...ON_SQLITE,
      '@koa/router',
      '@opentelemetry/api',
      'koa',
      'prom-client',
      'raw-body',
    ])
  })
})
