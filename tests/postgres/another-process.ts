import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import type { Order, Report } from './worker.ts'

/** Another process, with a separate store for each order. */
export type AnotherProcess = Readonly<{
  /** Sends an order. The next report is its result. */
  tell: (order: Order) => void
  report: () => Promise<Report>
  /** Resolves when the process has ended. */
  end: () => Promise<void>
}>

export const startProcess = async (): Promise<AnotherProcess> => {
  const child = fork(new URL(`./worker${EXTENSION}`, import.meta.url), {
    execArgv: EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : [],
  })
  const gone = once(child, 'exit')
  // A failed test that leaves the process running must not keep the runner alive.
  child.unref()
  child.channel?.unref()

  const reports: Array<Report> = []
  child.on('message', (report: Report) => {
    reports.push(report)
  })
  const report = async (): Promise<Report> => {
    const early = gone.then(([code, signal]) => {
      throw new Error(`the process ended with ${code ?? signal}`)
    })
    for (;;) {
      const first = reports.shift()
      if (first?.what === 'failed') throw new Error(first.because)
      if (first !== undefined) return first
      await Promise.race([once(child, 'message'), early])
    }
  }

  await report()
  return {
    tell: (order) => {
      child.send(order)
    },
    report,
    end: async () => {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

/** `.ts` when the tests run from source, `.js` when they are compiled. */
const EXTENSION = extname(new URL(import.meta.url).pathname)
