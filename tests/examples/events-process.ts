import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** The keys of an application with the scope `events:read`. */
export type ReaderKeys = Readonly<{ public_api_key: string; private_api_key: string }>

/** The list of the example, as it stands in its file. */
export type SignedIn = Readonly<{
  cursor: string | undefined
  sessions: Readonly<Record<string, Readonly<{ user: string; application: string; expires_at: string }>>>
}>

/** The example that keeps a list of who is signed in, as a process. */
export const startSignedIn = (url: string, keys: ReaderKeys, stateFile: string) =>
  startReader(new URL('./events/signed-in', import.meta.url).pathname, {
    url,
    keys,
    more: { STATE_FILE: stateFile },
  })

/**
 * A program that reads the event feed, as a process.
 *
 * @param program its path without extension
 */
export const startReader = (
  program: string,
  { url, keys, more }: Readonly<{ url: string; keys: ReaderKeys; more: Readonly<Record<string, string>> }>,
) => {
  const child: ChildProcess = spawn(
    process.execPath,
    [...(EXTENSION === '.ts' ? ['--import', 'tsx'] : []), `${program}${EXTENSION}`],
    {
      env: {
        PATH: process.env.PATH,
        PORTCULLIS_URL: url,
        PUBLIC_API_KEY: keys.public_api_key,
        PRIVATE_API_KEY: keys.private_api_key,
        ...more,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let reported = ''
  child.stderr?.on('data', (chunk) => {
    reported += chunk
  })
  const closed = once(child, 'close')
  return {
    /** What it has written on standard error. */
    reported: () => reported,
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
    /** Resolves with its exit status. */
    ended: async (): Promise<number | null> => (await closed)[0],
  }
}

/** The list in the file; undefined before the example has written one. */
export const signedInOf = (stateFile: string): SignedIn | undefined => {
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
