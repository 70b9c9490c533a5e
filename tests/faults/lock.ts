import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The write lock of a database, held by another process. */
export type Lock = Readonly<{ release: () => Promise<void> }>

export const lockStore = async (path: string): Promise<Lock> => {
  const program = fileURLToPath(new URL(`./lock-holder${EXTENSION}`, import.meta.url))
  const loader = EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : []
  const holder: ChildProcess = spawn(process.execPath, [...loader, program, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(holder, 'close')
  if (holder.stdout === null) throw new Error('no output')
  await Promise.race([
    once(holder.stdout, 'data'),
    gone.then(() => {
      throw new Error('it ended without the lock')
    }),
  ])
  return {
    release: async () => {
      holder.stdin?.end()
      await gone
    },
  }
}

/** `.ts` when the tests run from source, `.js` when they are compiled. */
const EXTENSION = extname(new URL(import.meta.url).pathname)
