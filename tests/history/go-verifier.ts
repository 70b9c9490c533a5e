import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

export type Verified = Readonly<{ status: number; out: string; err: string }>

/** Runs the verifier on a folder, with files of kept checkpoints. */
export type GoVerifier = (
  folder: string,
  verifierKey: string,
  ...kept: ReadonlyArray<string>
) => Promise<Verified>

/** Where Debian puts the sources of Go packages. */
const GOPATH = '/usr/share/gocode'

const hasGo =
  existsSync(join(GOPATH, 'src/golang.org/x/mod/sumdb/tlog')) &&
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')))

/** Tests with the verifier in Go, which is compiled once. Without Go they are skipped, and fail in CI. */
export const describeWithGo = (title: string, tests: (verifier: GoVerifier) => void): void => {
  if (!hasGo) {
    it(`${title}: needs Go with golang.org/x/mod, and there is none (make go)`, function () {
      if (process.env.CI) throw new Error('There is no Go with golang.org/x/mod.')
      this.skip()
    })
    return
  }
  describe(title, () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-go-'))
    const program = join(folder, 'verifier')

    before(function () {
      this.timeout(300_000)
      const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], {
        cwd: join(ROOT, 'tests/history/verifier'),
        env: {
          PATH: process.env.PATH,
          GO111MODULE: 'off',
          GOPATH,
          GOTOOLCHAIN: 'local', // downloads nothing
          GOCACHE: join(folder, 'cache'),
        },
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`the verifier does not compile: ${stderr}`)
    })
    after(() => rmSync(folder, { recursive: true }))

    tests(
      (...words) =>
        new Promise((resolve) => {
          execFile(program, words, (error, out, err) =>
            resolve({ status: Number(error?.code ?? 0), out, err }),
          )
        }),
    )
  })
}
