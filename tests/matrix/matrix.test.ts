import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { copyCheckout } from './checkout.ts'
import { nodePackageOf } from './node-package.ts'
import { run } from './run.ts'

const isSource = import.meta.url.endsWith('.ts')
const program = fileURLToPath(new URL(`./matrix.${isSource ? 'ts' : 'js'}`, import.meta.url))
const node = isSource ? ['--import', import.meta.resolve('tsx'), program] : [program]

describe('the matrix', () => {
  let folder: string
  let project: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    project = join(folder, 'project')
    mkdirSync(join(project, 'domain'), { recursive: true })
    execFileSync('git', ['init', '--quiet'], { cwd: project, stdio: 'ignore' })
    for (const [path, text] of [
      ['.gitignore', 'pepper\n'],
      ['pepper', 'secret'],
      ['domain/field.ts', ''],
      ['Makefile', 'test:\n\techo begun > begun; $(DOES)\n'],
    ] as const)
      writeFileSync(join(project, path), text)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  describe('copies of the project', () => {
    const copied = () => {
      const to = join(folder, 'checkout')
      copyCheckout(project, to)
      return readdirSync(to, { recursive: true, encoding: 'utf8' })
    }

    it('contain what git does not ignore, committed or not', () => {
      expect(copied()).to.have.members(['.gitignore', 'Makefile', 'domain', join('domain', 'field.ts')])
    })

    it('do not contain removed files that git still lists', () => {
      execFileSync('git', ['add', '.'], { cwd: project })
      rmSync(join(project, 'domain', 'field.ts'))
      expect(copied()).to.have.members(['.gitignore', 'Makefile'])
    })
  })

  describe('the run of make', () => {
    const make = (does: string, stopped = new AbortController().signal) =>
      run('make', ['--silent', 'test', `DOES=${does}`], { cwd: project, env: process.env }, stopped)

    it('returns its exit status', async () => {
      expect(await make('true')).to.equal(0)
      expect(readFileSync(join(project, 'begun'), 'utf8')).to.equal('begun\n')
      expect(await make('exit 3 2> /dev/null')).to.equal(2)
    })

    it('can be stopped together with its child processes', async () => {
      const stop = new AbortController()
      const ended = make('sleep 30 & echo $$! > pid; wait', stop.signal)
      const pid = await eventually('it has started', async () => {
        const path = join(project, 'pid')
        return (existsSync(path) && Number(readFileSync(path, 'utf8'))) || undefined
      })
      stop.abort()
      expect(await ended).to.be.oneOf([null, 2]) // killed, or make reports that its child was
      await eventually('its child is gone', async () => {
        try {
          process.kill(pid, 0)
          return undefined
        } catch {
          return true
        }
      })
    })

    it('reports a missing make', async () => {
      const failed = await run(
        'no-such-program',
        [],
        { cwd: project, env: {} },
        new AbortController().signal,
      ).catch((error: Error) => error.message)
      expect(failed).to.include('ENOENT')
    })
  })

  describe('the program', () => {
    const asked = async (words: string) => {
      const temporary = join(folder, 'temporary')
      mkdirSync(temporary)
      const child = spawn(process.execPath, [...node, ...words.split(' ')], {
        cwd: project,
        env: { PATH: process.env.PATH, HOME: folder, TMPDIR: temporary, npm_config_offline: 'true' },
      })
      const said: Array<string> = []
      child.stdout.setEncoding('utf8').on('data', (text) => said.push(text))
      const [status] = await once(child, 'close')
      expect(readdirSync(temporary).filter((left) => left.startsWith('portcullis'))).to.deep.equal([])
      return { status, said: said.join('') }
    }

    it('exits with 2 for a word that is not a Node.js version, and starts nothing', async () => {
      expect(await asked('22 latest')).to.deep.equal({
        status: 2,
        said: '"latest" is no version of Node: say for example NODES="22 26"\n',
      })
    })

    it('exits with 1 if no Node.js could be installed, continues with the others, and leaves nothing behind', async function () {
      const name = nodePackageOf(`${process.platform}-${process.arch}`)
      if (name === undefined) this.skip() // npm has no Node.js package for this machine
      const { status, said } = await asked('22 24.1')
      expect(status).to.equal(1)
      const lines = ['22', '24.1'].map(
        (one) => `Node ${one}: not tested, for npm could not install ${name}@${one}\n`,
      )
      expect(said.endsWith(`\n\n${lines.join('')}`), said).to.equal(true)
    })
  })
})
