import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { adaptersPage, codeIn, partOf } from '../readme/page.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { CHEAP } from '../support/settings.ts'
import { type Consumer, consumer, EXAMPLES } from './consumer.ts'

describe('a project that installs the package', function () {
  this.timeout(300_000) // all its packages are copied
  let project: Consumer
  const started: Array<ChildProcess> = []

  before(async () => {
    project = await consumer()
    copyFileSync(join(EXAMPLES, SWAP), join(project.folder, SWAP))
    const program = readFileSync(join(ROOT, 'tests', 'package', 'own-service.ts'), 'utf8')
    writeFileSync(join(project.folder, 'own-service.ts'), program.replace('../examples/adapters/', './'))
  })
  after(() => {
    for (const child of started) child.kill('SIGKILL')
    project.remove()
  })

  /** Starts a program of the project. Returns the first line of its output. */
  const start = async (file: string, environment: Record<string, string>) => {
    const child = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: project.folder,
      env: { ...project.environment, ...CHEAP, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    started.push(child)
    const closed = once(child, 'close')
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed])
    const stop = async (): Promise<unknown> => {
      child.kill('SIGTERM')
      return (await closed)[0]
    }
    return { line: String(line), stop }
  }

  it('has the dependencies of package.json and no development dependencies', async () => {
    const { status, out } = await project.run('npm ls --all --json --omit=dev')
    expect(status, 'npm finds nothing missing or of another version').to.equal(0)
    const { portcullis } = JSON.parse(out).dependencies
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    )
    expect(portcullis.dependencies).to.have.all.keys(
      Object.keys({ ...dependencies, ...optionalDependencies }),
    )
    expect(JSON.stringify(portcullis)).not.to.match(/"(?:mocha|chai|fast-check|undici|publint)"/)
    // The packages of docs/adapters.md. Of their types, only Node’s have dependencies.
    expect(readdirSync(join(project.folder, 'node_modules', '@types'))).to.have.members(['mocha', 'node'])
  })

  it('runs the command line', async () => {
    const { status, out, err } = await project.run('node_modules/.bin/portcullis --help')
    expect({ status, err }).to.deep.equal({ status: 0, err: '' })
    expect(out).to.match(/^Usage: portcullis /)
    expect((await project.run('node_modules/.bin/portcullis --version')).out).to.match(/^\d+\.\d+\.\d+\n$/)
  })

  it('runs the command on an SQLite store with the packaged migrations', async () => {
    const create = 'node_modules/.bin/portcullis user create --email ada@example.com --password-stdin --json'
    const { status, err, out } = await project.run(`printf pw | SCRYPT_LOG_N=1 SCRYPT_P=1 ${create}`)
    expect(status, err).to.equal(0)
    expect(JSON.parse(out)).to.have.property('email', 'ada@example.com')
    expect((await project.run('node_modules/.bin/portcullis events list')).out).to.include('UserRegistered')
  })

  it('compiles the service with a custom store and hasher, including library types', async () => {
    expect(await project.run('ls'))
      .to.have.property('out')
      .that.includes('journal-store.mocha.ts')
    expect(await project.run('node_modules/.bin/tsc')).to.deep.equal({ status: 0, out: '', err: '' })
    const { out } = await project.run('node_modules/.bin/tsc --showConfig')
    expect(JSON.parse(out).compilerOptions).to.not.have.property('skipLibCheck')
    const wrong = `printf %s '${WRONG}' > wrong.ts; status=0; node_modules/.bin/tsc || status=$?; rm wrong.ts; exit $status`
    const { status, out: said } = await project.run(wrong)
    expect(status, 'an incomplete store').not.to.equal(0)
    expect(said).to.match(/^wrong\.ts.*findApplication/m)
  })

  it('wraps the standard store for a command, as docs/adapters.md shows', async () => {
    const command = codeIn(partOf(adaptersPage(), '### Wrap the standard store'), 'sh').join('')
    const { status, out, err } = await project.run(command)
    expect(status, err).to.equal(0)
    expect(err).to.match(/^A commit took \d+ ms\.$/m)
    expect(out).to.match(/^private_api_key +sk_/m)
  })

  it('swaps adapters in a test, as docs/adapters.md shows', async () => {
    const { status, out } = await project.run(
      `node_modules/.bin/mocha --timeout 20000 --node-option import=tsx ${SWAP}`,
    )
    expect(status, out).to.equal(0)
    expect(out).to.match(/^ +1 passing/m)
  })

  it('serves them over a real socket and keeps its data across a restart', async () => {
    const first = await start('own-service.ts', { PUBLIC_URL: 'http://service.test' })
    const { port, accounts } = JSON.parse(first.line)
    const api = apiClient(`http://127.0.0.1:${port}`)
    const keys = { public_api_key: accounts.publicApiKey, private_api_key: accounts.privateApiKey }
    const { token } = (await api.issueToken(keys)).body
    expect((await api.signIn(token, accounts.email, 'another')).status).to.equal(422)
    const signedIn = await api.signIn(token, accounts.email, accounts.password)
    expect(signedIn.status).to.equal(200)
    const { send, close } = httpClient(`http://127.0.0.1:${port}`)
    const body = { old_password: 'wrong', new_password: '', new_password_check: 'other' }
    const refused = await send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token: signedIn.body.token,
      body,
    })
    expect(refused.body.errors.map(({ code }: { code: number }) => code)).to.deep.equal([2, 4, 5])
    await close()
    await api.close()
    expect(await first.stop()).to.equal(0)

    const again = await start('own-service.ts', { PUBLIC_URL: 'http://service.test' })
    const { port: other, accounts: none } = JSON.parse(again.line)
    expect(none).to.equal(null)
    const later = apiClient(`http://127.0.0.1:${other}`)
    expect(await later.profileStatus(signedIn.body.token)).to.equal(200)
    await later.close()
    expect(await again.stop()).to.equal(0)
    const journal = readFileSync(join(project.folder, 'own.journal'), 'utf8')
    expect(journal).to.match(/"passwordRecord":"[0-9a-f]{32}\$[0-9a-f]{64}"/)
  })

  it('serves with the store as docs/adapters.md shows', async () => {
    const port = await freePort()
    const { line, stop } = await start('service.ts', { PORT: String(port) })
    expect(line).to.equal(`http://127.0.0.1:${port}`)
    const { send, close } = httpClient(line)
    expect((await send({ method: 'GET', path: '/readyz' })).status).to.equal(200)
    await close()
    expect(await stop()).to.equal(0)
    expect(readFileSync(join(project.folder, 'portcullis.journal'), 'utf8')).to.include('SigningKeyCreated')
  })
})

const SWAP = 'swap-an-adapter.test.ts'

/** An incomplete store. */
const WRONG = `import type { Store } from "portcullis"
export const store: Store = { commit: () => async () => ({ _tag: "Right", right: undefined }) }`
