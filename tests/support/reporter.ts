import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import Mocha from 'mocha'

const {
  EVENT_HOOK_END,
  EVENT_RUN_END,
  EVENT_SUITE_END,
  EVENT_TEST_END,
  EVENT_TEST_FAIL,
  EVENT_TEST_PASS,
  EVENT_TEST_PENDING,
} = Mocha.Runner.constants

type Counts = { passes: number; failures: number; pending: number }
type FileRun = Counts & { file: string; ms: number }

/**
 * Prints a line for each finished test file, then every failure in full, then the ten slowest files. With TEST_REPORT it
 * also appends its counts, and what failed, to that file as one line of JSON, so that several runs can be summed.
 *
 * Mocha runs one file after the other, or several at once and then reports all events of a file together.
 */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter from a file only so
export default class FileReporter extends Mocha.reporters.Base {
  readonly #ended: Array<FileRun> = []
  readonly #fileCount: number
  #current: FileRun | undefined

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions & { files?: ReadonlyArray<string> }) {
    super(runner, options)
    this.#fileCount = options.files?.length ?? 0
    runner.on(EVENT_TEST_PASS, (test) => this.#count(test, 'passes'))
    runner.on(EVENT_TEST_FAIL, (test) => this.#count(test, 'failures'))
    runner.on(EVENT_TEST_PENDING, (test) => this.#count(test, 'pending'))
    runner.on(EVENT_TEST_END, (test) => this.#time(test))
    runner.on(EVENT_HOOK_END, (hook) => this.#time(hook))
    runner.on(EVENT_SUITE_END, (suite) => {
      if (suite.root) this.#end() // of one file, or of all
    })
    runner.once(EVENT_RUN_END, () => {
      this.#end()
      this.epilogue()
      this.#printSlowest()
      this.#report()
    })
  }

  /** Root hooks belong to no file, so they count for the file during which they ran. */
  #runOf({ file }: Mocha.Runnable): FileRun | undefined {
    if (file === undefined || file === this.#current?.file) return this.#current
    this.#end()
    this.#current = { file, ms: 0, passes: 0, failures: 0, pending: 0 }
    return this.#current
  }

  #count(runnable: Mocha.Runnable, what: keyof Counts): void {
    const run = this.#runOf(runnable)
    if (run !== undefined) run[what] += 1
  }

  #time(runnable: Mocha.Runnable): void {
    const run = this.#runOf(runnable)
    if (run !== undefined) run.ms += runnable.duration ?? 0
  }

  #end(): void {
    const run = this.#current
    if (run === undefined) return
    this.#current = undefined
    this.#ended.push(run)
    const counts = [
      `${run.passes} passed`,
      ...(run.failures > 0 ? [`${run.failures} FAILED`] : []),
      ...(run.pending > 0 ? [`${run.pending} skipped`] : []),
    ]
    const place = `${this.#ended.length}/${this.#fileCount}`.padStart(9)
    Mocha.reporters.Base.consoleLog(`${place} ${seconds(run.ms)}  ${nameOf(run.file)}: ${counts.join(', ')}`)
  }

  #printSlowest(): void {
    const slowest = this.#ended.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST)
    if (this.#ended.length <= 1) return
    Mocha.reporters.Base.consoleLog('The slowest files:')
    for (const { file, ms } of slowest)
      Mocha.reporters.Base.consoleLog(`          ${seconds(ms)}  ${nameOf(file)}`)
  }

  #report(): void {
    const { passes, failures, pending } = this.stats
    const report = process.env.TEST_REPORT
    if (report === undefined) return
    const failed = this.failures.map((test) => `${nameOf(test.file ?? '')}: ${test.fullTitle()}`)
    appendFileSync(report, `${JSON.stringify({ passes, failures, pending, failed })}\n`)
  }
}

const SLOWEST = 10

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(6)} s`

/** The source of a compiled file. */
const nameOf = (file: string): string =>
  relative(process.cwd(), file)
    .replace(/^dist\//, '')
    .replace(/\.js$/, '.ts')
