import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const isSource = import.meta.url.endsWith('.ts')
const program = fileURLToPath(new URL(`./release.${isSource ? 'ts' : 'js'}`, import.meta.url))
const node = isSource ? ['--import', import.meta.resolve('tsx'), program] : [program]

const DATE = '2026-02-03'
const DATED = `# Changelog\n\n## 1.2.3 – ${DATE}\n\n- A change.\n\n## 1.2.2 – 2026-01-01\n\n- Another.\n`

/** The other places of the version. */
const STATED = [
  ['package-lock.json', '{\n  "version": "1.2.3",\n  "packages": { "a": { "version": "9.9.9" } }\n}'],
  ['adapters/config/version.ts', "export const VERSION = '1.2.3'"],
  ['Dockerfile', 'LABEL org.opencontainers.image.version="1.2.3"'],
  ['docs/deploy.md', 'VERSION=1.2.3'],
  ['docs/upgrade.md', '`portcullis-1.2.3.tgz`\n\nVERSION=1.2.3\nVERSION=1.2.3'],
  ['docs/adapters.md', '`portcullis-1.2.3.tgz`'],
  ['docs/install.md', '`portcullis-1.2.3.tgz` and `portcullis-client-1.2.3.tgz`'],
] as const

/** What only a build or a release writes. */
const madeIn = (project: string): ReadonlyArray<string> =>
  readdirSync(project).filter((name) => ['built', 'release'].includes(name))

describe('make release', () => {
  let folder: string
  let project: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    project = join(folder, 'project')
    mkdirSync(project)
    // A release that was not refused would leave this file.
    writeFileSync(join(project, 'Makefile'), 'build:\n\t: > built; exit 1\n')
    writeFileSync(join(project, 'package.json'), '{ "version": "1.2.3" }')
    for (const name of ['adapters/config', 'docs']) mkdirSync(join(project, name), { recursive: true })
    for (const [file, text] of STATED) writeFileSync(join(project, file), `${text}\n`)
    // The only programs, so that no test depends on buildah.
    mkdirSync(join(folder, 'bin'))
    for (const name of ['git', 'make']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
      symlinkSync(found.trim(), join(folder, 'bin', name))
    }
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const commit = (changelog: string): void => {
    writeFileSync(join(project, 'CHANGELOG.md'), changelog)
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
    for (const words of [
      ['init', '--quiet'],
      ['add', '.'],
      [...author, 'commit', '--quiet', '-m', 'x'],
    ])
      execFileSync('git', words, { cwd: project, stdio: 'pipe' })
  }
  const release = (settings: Readonly<Record<string, string>> = {}) => {
    const env = { PATH: join(folder, 'bin'), HOME: folder, IMAGE: 'no', ...settings }
    const { status, stdout } = spawnSync(process.execPath, node, { cwd: project, env, encoding: 'utf8' })
    return { status, lines: stdout.trimEnd().split('\n') }
  }
  /** Exactly this reason, and nothing was built. */
  const isRefused = (ended: ReturnType<typeof release>, ...reason: ReadonlyArray<string>): void => {
    expect(ended).to.deep.equal({ status: 1, lines: [...reason, 'Nothing was built.'] })
    expect(madeIn(project)).to.deep.equal([])
  }

  it('builds if nothing speaks against it, and leaves no part of a release if that fails', () => {
    commit(DATED)
    const { status, lines } = release()
    expect([status, lines.at(-1)]).to.deep.equal([
      1,
      'No release was made: Command failed: make --no-print-directory build',
    ])
    expect(madeIn(project)).to.deep.equal(['built'])
  })

  for (const [file, text] of STATED)
    it(`refuses another version in ${file}`, () => {
      writeFileSync(join(project, file), text.replaceAll('1.2.3', '1.2.2'))
      commit(DATED)
      isRefused(release(), `${file} has version 1.2.2, but package.json has 1.2.3. Correct it.`)
    })

  it('gives all reasons together', () => {
    commit(DATED.replace(DATE, 'unreleased'))
    writeFileSync(join(project, 'new.ts'), '')
    const { lines } = release({ IMAGE: 'yes' })
    expect(
      lines.filter((line) => /^(?:The working tree|CHANGELOG.md|There is no)/.test(line)),
    ).to.have.lengthOf(3)
  })
})
