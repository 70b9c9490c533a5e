import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from '../readme/page.ts'
import type { Ended } from '../support/command.ts'
import { QUIET_NPM } from '../support/registry.ts'

const EXAMPLE = join(ROOT, 'tests/examples/typescript')

/** The commands of docs/clients.md: install, generate the types, compile and run. */
export const [INSTALL = '', MAKE_TYPES = '', COMPILE_AND_RUN = ''] = (
  codeIn(partOf(readFileSync(join(ROOT, 'docs/clients.md'), 'utf8'), '## A client in TypeScript'), 'sh')[0] ??
  ''
).split('\n')

/** A copy of the example, without installed or generated files. */
export type Project = Readonly<{
  folder: string
  /** Runs a shell line with these variables added to the tests’ environment. */
  run: (line: string, environment?: Readonly<Record<string, string>>) => Promise<Ended>
  remove: () => void
}>

export const copyProject = (): Project => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-client-'))
  for (const name of ['client.ts', 'package.json', 'tsconfig.json'])
    copyFileSync(join(EXAMPLE, name), join(folder, name))
  return {
    folder,
    run: async (line, environment = {}) => {
      const child = spawn('sh', ['-c', line], {
        cwd: folder,
        env: { ...process.env, ...QUIET_NPM, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const output = { out: '', err: '' }
      child.stdout.on('data', (chunk) => {
        output.out += chunk
      })
      child.stderr.on('data', (chunk) => {
        output.err += chunk
      })
      const [status] = await once(child, 'close')
      return { status, ...output }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
