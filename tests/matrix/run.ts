import { spawn } from 'node:child_process'

export type Place = Readonly<{ cwd: string; env: NodeJS.ProcessEnv }>

/**
 * Runs a program to its end, in front of whoever watches.
 *
 * @param stopped ends it, with all it has started, when it aborts
 * @returns its exit status; `null` when a signal ended it
 * @throws Error when it is not there
 */
export const run = (
  program: string,
  words: ReadonlyArray<string>,
  { cwd, env }: Place,
  stopped: AbortSignal,
): Promise<number | null> =>
  new Promise((resolve, reject) => {
    // In a group of its own, so that what it has started can be ended with it: npm and make wait for theirs.
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
    const end = () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
    }
    stopped.addEventListener('abort', end)
    child.once('error', reject)
    child.once('close', (status) => {
      stopped.removeEventListener('abort', end)
      resolve(status)
    })
  })
