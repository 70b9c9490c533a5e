import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { nodePackageOf } from './node-package.ts'

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
