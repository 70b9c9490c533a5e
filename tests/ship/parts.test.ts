import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { VERSION } from '../../adapters/config/version.ts'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { renewBundle } from '../support/renew-bundle.ts'
import { CHEAP } from '../support/settings.ts'
import { withoutStoreLine } from '../support/store-line.ts'
import { all, DOCKERFILE, last, stagesOf } from './dockerfile.ts'
import { COMMAND, serviceSays, UNIT } from './systemd.ts'

const page = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8')
const PAGE = page('deploy-parts.md')
const blocksOf = (heading: string, language = 'sh') => codeIn(partOf(PAGE, heading), language)
const [PARTS = ''] = codeIn(page('embed.md'), 'js')

const REFUSED = 'our Otterworks password'
const ACCEPTED = 'nine purple otters sing'

type Environment = Readonly<Record<string, string>>

/** Cheap hashes, and no other setting. */
const { SCRYPT_LOG_N = '', SCRYPT_P = '', LOG_LEVEL = '' } = CHEAP
const SETTINGS = {
  SCRYPT_LOG_N,
  SCRYPT_P,
  LOG_LEVEL,
  PASSWORD_POLICY: 'nist',
  PUBLIC_URL: 'http://localhost',
}

/** Runs a program to its end. */
const ended = async (child: ChildProcess, input = '') => {
  const output = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.err += chunk
  })
  child.stdin?.end(input)
  const [status] = await once(child, 'close')
  return { status, out: output.out, err: withoutStoreLine(output.err) }
}

/** A place that stands for a machine or a container. */
type Place = Readonly<{
  folder: string
  environment: Environment
  /** The program and its words, as the page starts the server. */
  server: ReadonlyArray<string>
  /** The same for a command with the option, and without. */
  command: (words: string) => ReadonlyArray<string>
}>

const start = (
  { folder, environment }: Place,
  [program = '', ...words]: ReadonlyArray<string>,
  more: Environment = {},
) =>
  spawn(program, words, {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...SETTINGS, ...environment, ...more },
  })

/** Serves with the rule of the page, refuses over HTTP and in a command, and lets doctor find a command without it. */
const expectRule = async (place: Place): Promise<void> => {
  const run = (words: string, input = '') => ended(start(place, place.command(words)), input)
  const port = await freePort()
  const server = start(place, place.server, { PORT: String(port) })
  try {
    const [line] = await Promise.race([
      once(createInterface({ input: server.stdout }), 'line'),
      ended(server).then(({ err }) => [err]),
    ])
    expect(line).to.match(/^Portcullis listens/)
    const made = JSON.parse((await run('application create --name shop --json')).out)
    const url = `http://127.0.0.1:${port}`
    const [api, { send, close }] = [apiClient(url), httpClient(url)]
    const { token } = (await api.issueToken(made)).body
    const register = (password: string) =>
      send({ method: 'POST', path: '/api/v1/users', token, body: { email: 'ada@example.com', password } })
    const refused = await register(REFUSED)
    expect([refused.status, refused.body.errors[0].message]).to.deep.equal([
      422,
      'password contains the name of our shop.',
    ])
    expect((await register(ACCEPTED)).status).to.equal(201)
    await Promise.all([api.close(), close()])

    expect(await run('user create --email bob@example.com --password-stdin', REFUSED)).to.deep.equal({
      status: 1,
      out: '',
      err: 'The password contains the name of our shop.\n',
    })
    expect((await run('doctor')).out).to.match(/^ok +servers +These settings are those of the server /m)
    const without = place.command('doctor').filter((word) => word !== '--with' && !word.endsWith('parts.mjs'))
    expect((await ended(start(place, without))).out).to.match(
      /^WRONG +servers .*--with is "given" \(here "not given"\)/m,
    )
  } finally {
    server.kill('SIGTERM')
  }
}

describe('docs/deploy-parts.md', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-parts-'))
  after(() => rmSync(folder, { recursive: true }))
  before(() => {
    renewBundle()
    writeFileSync(join(folder, 'parts.mjs'), PARTS)
  })

  it('runs a rule with systemd: in the unit with its drop-in, and in its command', async () => {
    const machine = join(folder, 'machine')
    const onMachine = (text: string) => text.replaceAll(/(?<![\w.])\/(?=(?:etc|opt)\/)/g, `${machine}/`)
    for (const path of ['opt', 'etc/systemd/system', 'home'])
      mkdirSync(join(machine, path), { recursive: true })
    symlinkSync(ROOT, join(machine, 'opt/portcullis'))
    const [install = '', dropIn = '', restart = ''] = blocksOf('## With systemd')
    execFileSync('sh', ['-e', '-c', onMachine((install + dropIn).replaceAll('sudo ', ''))], { cwd: folder })
    expect(restart).to.match(/daemon-reload\n.*restart portcullis\n$/)

    const conf = readFileSync(join(machine, 'etc/systemd/system/portcullis.service.d/parts.conf'), 'utf8')
    const [reset, execStart = '', ...others] = serviceSays('ExecStart', conf)
    expect([reset, others]).to.deep.equal(['', []])
    const [program = '', ...unitWords] = onMachine(serviceSays('ExecStart')[0] ?? '').split(' ')
    const server = execStart.split(' ')
    expect([server[0], server.at(-1)], 'beside the option, the command of the unit').to.deep.equal([
      program,
      ...unitWords,
    ])
    expect(UNIT).to.include('User=portcullis')

    const typed = /`sudo portcullis (--with \S+) doctor`/.exec(onMachine(PAGE))?.[1] ?? ''
    expect(COMMAND, 'the command passes its words on').to.match(/main\.js "\$@"' portcullis "\$@"\n$/)
    await expectRule({
      folder: join(machine, 'home'),
      environment: {},
      server: [process.execPath, ...server],
      command: (words) => [process.execPath, program, ...typed.split(' '), ...words.split(' ')],
    })
  })

  /** The files of the image, as its last stage copies them. The packages are those installed here. */
  const container = (name: string): string => {
    const stage = stagesOf(DOCKERFILE).at(-1)
    if (stage === undefined) throw new Error('the Dockerfile has no stage')
    const workdir = join(folder, name)
    mkdirSync(join(workdir, 'data'), { recursive: true })
    for (const { words } of all(stage, 'COPY'))
      for (const source of words.slice(0, -1)) {
        const path = source.replace('/build/', '')
        if (path === 'node_modules') symlinkSync(join(ROOT, path), join(workdir, path))
        else if (path === 'dist')
          for (const part of ['domain', 'application', 'adapters'])
            cpSync(join(ROOT, path, part), join(workdir, path, part), { recursive: true })
        else cpSync(join(ROOT, path), join(workdir, path))
      }
    expect(JSON.parse(readFileSync(join(workdir, 'package.json'), 'utf8'))).to.include({ version: VERSION })
    return workdir
  }

  /** Mounts the files of `HOST:CONTAINER:ro`, and runs the words behind the entrypoint. */
  const expectRuleIn = async (
    workdir: string,
    {
      mounts,
      words,
      typed,
    }: { mounts: ReadonlyArray<string>; words: ReadonlyArray<string>; typed: ReadonlyArray<string> },
  ) => {
    const stage = stagesOf(DOCKERFILE).at(-1)
    if (stage === undefined) throw new Error('the Dockerfile has no stage')
    const inPlace = (path: string) => path.replace(/^\/portcullis\//, `${workdir}/`)
    for (const mount of mounts) {
      const [from = '', to = '', how] = mount.split(':')
      expect([from, how]).to.deep.equal(['./parts.mjs', 'ro'])
      cpSync(join(folder, from), inPlace(to))
    }
    const entrypoint = (last(stage, 'ENTRYPOINT')?.words ?? []).slice(1).map(inPlace)
    await expectRule({
      folder: workdir,
      environment: { HOST: '127.0.0.1' },
      server: [process.execPath, ...entrypoint, ...words.map(inPlace)],
      command: (line) => [process.execPath, ...entrypoint, ...typed.map(inPlace), ...line.split(' ')],
    })
  }

  it('runs a rule in the image: with the mount and the words of docker run, and with docker exec', async () => {
    const [lines = ''] = blocksOf('## In an image')
    const started = codeIn(partOf(page('deploy.md'), '## In an image'), 'sh').find((block) =>
      block.startsWith('docker run'),
    )
    const [, lastLine] = lines.trimEnd().split('\n')
    expect(
      lastLine?.startsWith(started?.trimEnd().split('\n').at(-1) ?? 'none'),
      'the line that it replaces',
    ).to.equal(true)
    const [, words = ''] = /unless-stopped portcullis (.*)$/.exec(lastLine ?? '') ?? []
    const mounts = [...lines.matchAll(/--volume "\$PWD\/([^"]+)"/g)].map(([, mount]) => `./${mount}`)
    expect(mounts).to.have.lengthOf(1)
    const [, typed = ''] =
      /`docker exec portcullis node dist\/adapters\/main\.js (--with \S+) doctor`/.exec(PAGE) ?? []
    await expectRuleIn(container('image'), {
      mounts,
      words: words.split(' '),
      typed: typed.split(' '),
    })
  })
})
