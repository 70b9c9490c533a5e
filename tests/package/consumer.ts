import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { adaptersPage, codeIn } from '../readme/page.ts'
import type { Ended } from '../support/command.ts'
import { layOut } from './installed.ts'
import { pack } from './packed.ts'

/**
 * A separate project in a new folder, made as docs/adapters.md says. The packages that `npm install` would fetch
 * are copied.
 */
export type Consumer = Readonly<{
  folder: string
  /** The environment of the project’s commands, without the tests’ own. */
  environment: Readonly<Record<string, string>>
  /** Runs shell lines until one fails. */
  run: (commands: string) => Promise<Ended>
  remove: () => void
}>

/** Where the files are that the page copies. */
export const EXAMPLES = join(ROOT, 'tests', 'examples', 'adapters')

/** The files of the store that the page copies. */
export const EXAMPLE = ['journal-store.ts', 'journal-tables.ts'] as const

/** The only path on the page that depends on the machine. */
const CLONE = '/path/to/portcullis'

/** Each file of tests makes its own: a worker runs several files, and another one may run at the same time. */
export const consumer = async (): Promise<Consumer> => {
  const packed = pack()
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-consumer-'))
  const clone = mkdtempSync(join(tmpdir(), 'portcullis-clone-'))
  const remove = (): void => {
    packed.remove()
    for (const made of [folder, clone]) rmSync(made, { recursive: true })
  }
  const copied = join(clone, 'tests', 'examples', 'adapters')
  mkdirSync(copied, { recursive: true })
  copyFileSync(packed.tarball, join(clone, basename(packed.tarball)))
  for (const name of EXAMPLE) copyFileSync(join(EXAMPLES, name), join(copied, name))

  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: clone, // ignores the settings of the user who runs the tests
    npm_config_cache: join(clone, 'cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  const run = async (commands: string): Promise<Ended> => {
    const child = spawn('sh', ['-e', '-c', commands.replaceAll(CLONE, clone)], {
      cwd: folder,
      env: environment,
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
  }

  const page = adaptersPage()
  for (const [name, text] of filesOf(page)) writeFileSync(join(folder, name), text)
  copyFileSync(join(EXAMPLES, 'timed-parts.ts'), join(folder, 'timed-parts.ts'))
  for (const commands of codeIn(page, 'sh').filter((block) => /^(?:npm|cp|sed) /.test(block))) {
    const others = commands.replaceAll(/^npm install .*\n/gm, '')
    const { status, err } = await run(others)
    if (status !== 0) throw new Error(`docs/adapters.md fails: ${others}${err}`)
    if (others !== commands) layOut(commands, packed.tarball, folder)
  }
  return { folder, environment, run, remove }
}

/** The complete files on a page, each named in the line before it. */
export const filesOf = (page: string): ReadonlyArray<readonly [name: string, text: string]> =>
  [...page.matchAll(/`([a-z.-]+\.(?:ts|mjs|json))`[^`\n]*:\n\n```(?:ts|js|json)\n([\s\S]*?)```/g)].map(
    ([, name = '', text = '']) => [name, text],
  )
