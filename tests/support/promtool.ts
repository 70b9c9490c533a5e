import { spawnSync } from 'node:child_process'

/** Runs promtool, of Debian's package prometheus, to its end. */
export const promtool = (words: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

/** Whether promtool is installed. Without it its tests are skipped, and fail in CI. */
export const hasPromtool = promtool(['--version']).status === 0

if (!hasPromtool)
  it('needs promtool, and there is none (make prometheus)', function () {
    if (process.env.CI) throw new Error('There is no promtool.')
    this.skip()
  })
