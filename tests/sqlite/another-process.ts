import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Order, Report } from './worker.ts'

/** Another process, with a separate store for each order. */
export type AnotherProcess = Readonly<{
  /** The result of an order. */
  ask: (order: Order) => Promise<Report>
  /** All results that are reported until the process ends. */
  askLast: (order: Order) => Promise<ReadonlyArray<Report>>
  /** Starts an order and kills the process before the order ends. */
  begin: (order: Order) => void
  /** Pauses the process and resumes it. */
  pause: () => void
  goOn: () => void
  /** Resolves when the process has ended, also by itself. */
  gone: Promise<unknown>
  /** Kills the process. Resolves when it has ended. */
  kill: () => Promise<void>
  end: () => Promise<void>
}>

export const startProcess = async (): Promise<AnotherProcess> => {
  const child = fork(new URL(`./worker${EXTENSION}`, import.meta.url), {
    execArgv: EXTENSION === '.ts' ? ['--import', typescriptLoader()] : [],
  })
  const gone = once(child, 'exit')
  // A failed test that leaves the process running must not keep the runner alive.
  child.unref()
  child.channel?.unref()

  const report = async (): Promise<Report> => {
    const early = gone.then(([code, signal]) => {
      throw new Error(`the process ended with ${code ?? signal}`)
    })
    const [first] = await Promise.race([once(child, 'message'), early])
    return first
  }

  await report()
  return {
    ask: (order) => {
      child.send(order)
      return report()
    },
    askLast: async (order) => {
      const reports: Array<Report> = []
      child.on('message', (each: Report) => {
        reports.push(each)
        if (each.outcome !== 'success') child.kill()
      })
      child.send(order)
      await gone
      return reports
    },
    begin: (order) => {
      child.send(order)
    },
    gone,
    pause: () => {
      child.kill('SIGSTOP')
    },
    goOn: () => {
      child.kill('SIGCONT')
    },
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    end: async () => {
      if (child.connected) child.disconnect()
      await gone
    },
  }
}

/** `.ts` when the tests run from source, `.js` when they are compiled. */
const EXTENSION = extname(new URL(import.meta.url).pathname)

const typescriptLoader = (): string => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
