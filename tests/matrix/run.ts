import { spawn } from 'node:child_process'

export type Place = Readonly<{ cwd: string; env: NodeJS.ProcessEnv }>

/**
 * Runs a program to its end with its output on the terminal.
 *
 * @param stopped ends the program and its child processes when it aborts
 * @returns the exit status, or `null` after a signal
 * @throws Error if the program does not exist
 */
export const run = (
  program: string,
  words: ReadonlyArray<string>,
  { cwd, env }: Place,
  stopped: AbortSignal,
): Promise<number | null> =>
  new Promise((resolve, reject) => {
    // A separate process group, so that all child processes can be ended: npm and make wait for theirs.
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
