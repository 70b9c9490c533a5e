import { spawnSync } from 'node:child_process'

/** Milliseconds. It usually needs a tenth of a second. */
const BOUND = 5_000
const TRIALS = 3

/**
 * Runs promtool, of Debian's package prometheus, to its end. One that does not end is asked for the stacks of its threads
 * (SIGQUIT) and started again: what it says of a file does not depend on that.
 */
export const promtool = (words: ReadonlyArray<string>) => {
  for (let trial = 1; ; trial++) {
    const { status, stdout, stderr, error } = spawnSync('promtool', words, {
      encoding: 'utf8',
      timeout: BOUND,
      killSignal: 'SIGQUIT',
    })
    const hung = error !== undefined && 'code' in error && error.code === 'ETIMEDOUT'
    if (!hung || trial === TRIALS) return { status, said: stdout + stderr }
    process.stderr.write(`promtool did not end within ${BOUND / 1000} s:\n${stderr}\n`)
  }
}

/** Whether promtool is installed. Without it its tests are skipped, and fail in CI. */
export const hasPromtool = promtool(['--version']).status === 0

if (!hasPromtool)
  it('needs promtool, and there is none (make prometheus)', function () {
    if (process.env.CI) throw new Error('There is no promtool.')
    this.skip()
  })
