import { existsSync } from 'node:fs'
import * as fc from 'fast-check'
import { chromium } from 'playwright-core'
import { CHROMIUM, FLAGS } from './browser.ts'
import { startFleetingServer, startPostgresServer } from './postgres-server.ts'
import { share } from './shared.ts'

/**
 * Starts one PostgreSQL and one browser for all files of a parallel run. Mocha loads this file (`--require`) and calls these
 * two functions only in the process that distributes the files, before and after all of them.
 */

// A worker of mocha reports the message of an error only, and not its cause.
fc.configureGlobal({ includeErrorInReport: true })

const ends: Array<() => Promise<unknown>> = []

export const mochaGlobalSetup = async (): Promise<void> => {
  const [postgres, browser] = await Promise.all([startPostgres(), startBrowser()])
  share({ postgres, ...(browser === undefined ? {} : { browser }) })
}

export const mochaGlobalTeardown = async (): Promise<void> => {
  for (const end of ends) await end()
}

const startPostgres = async () => {
  try {
    const server = await (process.env.TESTS_WITHOUT_FSYNC ? startFleetingServer : startPostgresServer)()
    ends.push(server.remove)
    return { port: server.port }
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  }
}

const startBrowser = async () => {
  if (!existsSync(CHROMIUM)) return undefined
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: [...FLAGS] })
  ends.push(() => server.close())
  return server.wsEndpoint()
}
