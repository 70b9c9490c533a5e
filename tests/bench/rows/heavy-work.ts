import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { at, whenIdle } from '../machine.ts'
import { mainOf, runCommand, type Service } from '../portcullis.ts'
import { signInText } from '../requests.ts'
import { keepInFlight } from './request-load.ts'

/** A service on a large store. */
export type LargeService = Service &
  Readonly<{
    /** Removes the tree of the log. The service begins again, with all entries. */
    removeTree: () => Promise<void>
    hasWholeTree: () => Promise<boolean>
  }>

/** Begins work beside the requests, and resolves when it is under way. `stop` resolves when nothing is left of it. */
export type Work = (one: LargeService) => Promise<Readonly<{ stop: () => Promise<void> }>>

export const NOTHING: Work = async () => ({ stop: async () => {} })

const SIGN_INS = 16

const signIns: Work = async (one) => {
  const load = keepInFlight(one.port, signInText(one), SIGN_INS)
  await pause(ARRIVAL_MS)
  return {
    stop: async () => {
      load.stop()
      await pause(HASH_MS) // a hash that runs is not stopped
    },
  }
}

/** Until all sign-ins have arrived. */
const ARRIVAL_MS = 100
const HASH_MS = 1_000

const integration: Work = async (one) => {
  await one.removeTree()
  await pause(LOOK_MS)
  return { stop: () => wholeTree(one) }
}

/** The service looks for new entries so often. */
const LOOK_MS = 1_000

const wholeTree = async ({ hasWholeTree }: LargeService): Promise<void> => {
  while (!(await hasWholeTree())) await pause(POLL_MS)
}

const POLL_MS = 100

/** Runs a command of the shell again and again, each time in processes of its own, until it is stopped. */
const commands =
  (textOf: (portcullis: string, name: string) => string): Work =>
  async (one) => {
    const { tree, folder, environment } = one.prepared
    let isStopped = false
    let running: number | undefined
    const run = async (): Promise<void> => {
      begun += 1
      const text = textOf(`${process.execPath} ${mainOf(tree)}`, `${process.pid}-${begun}`)
      const [program, ...words] = at('anywhere', whenIdle(['sh', '-c', text]))
      const env = { PATH: process.env.PATH, ...environment }
      const child = spawn(program, words, {
        cwd: folder,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      })
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text
      })
      running = child.pid
      const [status] = await once(child, 'close')
      if (!isStopped && status !== 0) throw new Error(`${text}: ${said}`)
    }
    const all = (async () => {
      while (!isStopped) await run()
    })()
    all.catch(() => {}) // told by `stop`
    await Promise.race([all, pause(START_MS)])
    return {
      stop: async () => {
        isStopped = true
        try {
          if (running !== undefined) process.kill(-running) // with the programs of the shell
        } catch {
          // It has just ended.
        }
        await all
        await wholeTree(one)
      },
    }
  }

let begun = 0

/** Until a command works on the store. */
const START_MS = 1_000

/** The users of a large store, of which imports make new ones. */
const USERS = 'users.jsonl'

export const prepareImports = ({ prepared }: Service): void => {
  runCommand(prepared, ['user', 'export', join(prepared.folder, USERS)])
}

/** What requests are measured beside. */
export const WORKS: Readonly<Record<string, Work>> = {
  [`${SIGN_INS} sign-ins`]: signIns,
  'the tree of the log': integration,
  'events export': commands(
    (portcullis, name) => `${portcullis} events export log-${name} && rm -r log-${name}`,
  ),
  'user export': commands(
    (portcullis, name) => `${portcullis} user export users-${name} && rm users-${name}`,
  ),
}

export const IMPORTS: Readonly<Record<string, Work>> = {
  'user import': commands(
    (portcullis, name) =>
      `sed 's/"email":"/&${name}-/; s/"id":"[^"]*",//' ${USERS} | ${portcullis} user import -`,
  ),
}
