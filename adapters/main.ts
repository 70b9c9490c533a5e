#!/usr/bin/env node
import { userInfo } from 'node:os'

const words = process.argv.slice(2)
const [command, action] = words.filter((word, at) => !word.startsWith('-') && words[at - 1] !== '--with')

/** It prints an API key, which nothing shows again. */
const printsSecret = command === 'application' && (action === 'create' || action === 'rotate')

/** Why a server, which serves on, has lost its output. */
let lostBecause: string | undefined

let hasStarted = false // help and wrong usage change nothing

// A reader may stop early (`| head`): a list ends, and every other command finishes its work, which may be a change. Another
// output that cannot be written is an error for all commands but the server, which keeps serving.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (command === 'serve') {
      if (stream === process.stdout) lostBecause ??= error.code
      return
    }
    const losesSecret = hasStarted && printsSecret && stream === process.stdout
    if (error.code === 'EPIPE' && !losesSecret) {
      if (stream === process.stdout && (action === 'list' || action === 'history')) process.exit(0)
      return
    }
    if (stream === process.stdout) {
      const changes = hasStarted ? ' Changes by this command remain in the store.' : ''
      const secret = losesSecret
        ? ' The private key is lost: run application rotate or application revoke.'
        : ''
      process.stderr.write(`The output could not be written (${error.code}).${changes}${secret}\n`)
    }
    process.exit(1)
  })
}

// Node takes about a millisecond for each file, so the bundle starts faster. Modules of --with import the package, whose
// modules the bundle does not share.
const { run, loadComposition } = words.some((word) => /^--with(?:=|$)/.test(word))
  ? await import('./bundle/program.ts')
  : await import('./bundle/bundled-program.ts')

let isStopped = false

/** Ctrl-D is an empty answer. */
const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, terminal: false })
  try {
    process.stderr.write(question)
    const answer = await new Promise<string | undefined>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(undefined))
    })
    if (answer === undefined) process.stderr.write('\n')
    return answer ?? ''
  } finally {
    lines.close()
  }
}

process.exitCode = await run(words, {
  loadComposition,
  script: process.argv[1] ?? '',
  environment: process.env,
  folder: process.cwd(),
  systemUser: () => {
    try {
      return userInfo().username
    } catch {
      return undefined // a container may run under a user id without a name
    }
  },
  input: process.stdin,
  onCommand: () => {
    hasStarted = true
  },
  writeOut: (line) => process.stdout.write(`${line}\n`),
  flushOut: () =>
    new Promise((resolve) => {
      process.stdout.write('', (error) => {
        // The listener above hears of earlier lines only after this.
        if (command === 'serve') setImmediate(() => resolve(lostBecause ?? error?.message))
        else if (!error) resolve(undefined)
        else if ('code' in error && error.code === 'EPIPE') process.exit(0) // what follows is about the output
        // For another error, the listener above ends the process.
      })
    }),
  isOutTerminal: process.stdout.isTTY === true,
  writeErr: (line) => process.stderr.write(`${line}\n`),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  // Without one of them, the question would wait for ever.
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  untilStopped: () =>
    new Promise((resolve) => {
      const stop = () => {
        isStopped = true
        resolve()
      }
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
    }),
})

// Lines that a stalled reader does not take would keep the process alive. Who stopped it, or restarts a service,
// does not wait for them.
if (isStopped || command === 'serve') setTimeout(() => process.exit(), 1_000).unref()
