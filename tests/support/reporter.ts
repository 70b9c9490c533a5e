import { appendFileSync } from 'node:fs'
import Mocha from 'mocha'

/**
 * The spec reporter, which also adds one line of JSON with its counts to the file that TEST_REPORT names: what
 * sums several runs up reads it there and not from a text for people.
 */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter from a file only so
export default class CountingSpec extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats
      const report = process.env.TEST_REPORT
      if (report !== undefined) appendFileSync(report, `${JSON.stringify({ passes, failures, pending })}\n`)
    })
  }
}
