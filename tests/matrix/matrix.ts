import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyCheckout } from './checkout.ts'
import { nodeOfRegistry } from './node-of-registry.ts'
import { run } from './run.ts'
import { isWell, lineOf, type Tried } from './verdict.ts'
import { type Wanted, wantedBy } from './wanted.ts'

/**
 * `make test-matrix`: runs `make test-all` on several versions of Node.js, one after the other. npm installs each one into a
 * temporary folder, with a copy of the project and its dependencies. Status 0: all tests that ran passed on each
 * version. 1: a test failed, or a version could not be installed. 2: a word was not a version.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const tested = async (wanted: string, faults: boolean, stopped: AbortSignal): Promise<Tried> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-matrix-'))
  try {
    say(`\n=== Node ${wanted}`)
    const had = await nodeOfRegistry(wanted, join(folder, 'node'), stopped)
    if (had._tag === 'NotHad') return { ...had, wanted }
    say(`=== it is ${had.version}`)
    const cwd = join(folder, 'checkout')
    copyCheckout(process.cwd(), cwd)
    const TEST_REPORT = join(folder, 'report')
    const words = ['--keep-going', 'test-all', `FAULTS=${faults ? 'yes' : 'no'}`]
    const status = await run('make', words, { cwd, env: { ...had.env, TEST_REPORT } }, stopped)
    const report = existsSync(TEST_REPORT) ? readFileSync(TEST_REPORT, 'utf8') : ''
    return { _tag: 'Ran', version: had.version, status, report }
  } catch (error) {
    return { _tag: 'NotHad', wanted, why: error instanceof Error ? error.message : String(error) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const testedOnAll = async ({ nodes, faults }: Wanted): Promise<void> => {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const all: Array<Tried> = []
  for (const wanted of nodes) {
    all.push(
      stop.signal.aborted
        ? { _tag: 'NotHad', wanted, why: 'it was stopped before' }
        : await tested(wanted, faults, stop.signal),
    )
  }
  say('')
  for (const tried of all) say(lineOf(tried))
  process.exitCode = all.every(isWell) ? 0 : 1
}

const asked = wantedBy(process.argv.slice(2))
if (asked._tag === 'Wanted') await testedOnAll(asked)
else {
  say(asked.why)
  process.exitCode = 2
}
