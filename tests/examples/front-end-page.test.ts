import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { freePort, main, processWorkplace } from '../support/command.ts'

const page = readFileSync(join(ROOT, 'docs/front-end.md'), 'utf8')
const [
  makeKey = '',
  startService = '',
  makeMailer = '',
  permitPasskeys = '',
  startInbox = '',
  startFrontEnd = '',
] = codeIn(partOf(page, '## Run it'), 'sh')

/** The settings before a command. */
const settingsIn = (words: string): Readonly<Record<string, string>> =>
  Object.fromEntries(words.match(/\S+/g)?.map((setting) => setting.split('=')) ?? [])

/** A program and what it has printed so far. */
type Output = Readonly<{ reader: Interface; lines: ReadonlyArray<string> }>

describe('the steps of docs/front-end.md', function () {
  this.timeout(60_000) // tsx compiles the programs
  const { folder, serve, remove } = processWorkplace()
  const children: Array<ChildProcess> = []
  after(async () => {
    for (const child of children) {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    remove()
  })

  /** What a command of the page prints as JSON, in the folder of the service. */
  const madeBy = (command: string): string => {
    const [set = '', line] = command.replace('\\\n', '').split(/(?<=^|\s)portcullis /)
    expect(line, command).to.be.a('string')
    const words = line?.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
    const loader = main.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
    return spawnSync(process.execPath, [...loader, main, ...words, '--json'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...settingsIn(set) },
      encoding: 'utf8',
    }).stdout
  }
  /** Starts the commands of the page in the project, with a port in place of the default. */
  const start = (commands: string, environment: Readonly<Record<string, string>>): Output => {
    const line = commands.replace('\nnode ', '\nexec node ').replace(/^node /, 'exec node ')
    const child = spawn('sh', ['-e', '-c', line], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const lines: Array<string> = []
    const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    return { reader, lines }
  }
  const lineOf = async ({ reader, lines }: Output, beginning: string): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => line.startsWith(beginning))
      if (found !== undefined) return found
      await once(reader, 'line')
    }
  }

  it('start a front end that registers a user, whose mail the mailbox prints', async () => {
    execFileSync('sh', ['-e', '-c', makeKey], { cwd: folder })
    const [, settings = ''] = /^(.*) make run$/m.exec(startService) ?? []
    const server = await serve('serve', settingsIn(settings))
    const shop = JSON.parse(madeBy('portcullis application create --name "first application"'))
    const mailer = JSON.parse(madeBy(makeMailer))
    expect(JSON.parse(madeBy(permitPasskeys)).passkey_origins).to.deep.equal(['http://localhost:3000'])

    const [smtp, port] = [await freePort(), await freePort()]
    const inbox = start(startInbox, { SMTP_PORT: String(smtp) })
    await lineOf(inbox, 'The mailbox listens at')
    const REAL: Readonly<Record<string, string>> = {
      PUBLIC_API_KEY: shop.public_api_key,
      PRIVATE_API_KEY: shop.private_api_key,
      MAILER_PUBLIC_API_KEY: mailer.public_api_key,
      MAILER_PRIVATE_API_KEY: mailer.private_api_key,
    }
    const filled = startFrontEnd.replaceAll(/=(\w+)/g, (_, word) => `=${REAL[word]}`)
    const frontEnd = start(filled, {
      PORT: String(port),
      PORTCULLIS_URL: server.url,
      SMTP_URL: `smtp://127.0.0.1:${smtp}`,
    })
    const url = await lineOf(frontEnd, 'http://')

    expect(await (await fetch(url)).text()).to.include('Sign in with a passkey')
    const registered = await fetch(`${url}/register`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ email: 'bob@example.com', password: 'nine purple otters sing' }),
    })
    expect(registered.status).to.equal(303)
    expect(await lineOf(inbox, 'To: ')).to.equal('To: bob@example.com')
    const link = await lineOf(inbox, `${url}/email?link=`)
    expect(await (await fetch(link)).text()).to.include('Confirm your e-mail')
    expect(await server.end()).to.equal(0)
  })

  it('name each variable of the program', () => {
    const program = readFileSync(join(ROOT, 'tests/examples/bff/bff.ts'), 'utf8')
    const [top = ''] = program.split('\nconst auth ')
    const names = [...top.matchAll(/\b([A-Z][A-Z_]+)\b(?=[:, ])/g)].map(([, name = '']) => name)
    expect(new Set(names)).to.include.keys('PORT', 'SITE', 'TRUST_PROXY', 'MAILER_PRIVATE_API_KEY')
    for (const name of new Set(names)) expect(page, name).to.include(name)
  })
})
