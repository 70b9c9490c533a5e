import { execFile } from 'node:child_process'

/** Where and with what a program runs. */
type Given = Readonly<{ cwd?: string; env?: NodeJS.ProcessEnv; input?: string }>

/**
 * Runs a program to its end and returns what it printed.
 *
 * @throws Error with the last lines that it printed, if it fails
 */
export const output = (
  program: string,
  words: ReadonlyArray<string>,
  { input = '', ...place }: Given = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(program, words, { ...place, maxBuffer: MOST_BYTES }, (error, out, err) => {
      if (error === null) return resolve(out.trim())
      const lines = (err.trim() || out.trim() || error.message).split('\n')
      reject(new Error(`${program} failed:\n${lines.slice(-LAST_LINES).join('\n')}`))
    })
    child.stdin?.on('error', () => {}) // it may end without reading
    child.stdin?.end(input)
  })

const MOST_BYTES = 64 * 1024 * 1024
const LAST_LINES = 20
