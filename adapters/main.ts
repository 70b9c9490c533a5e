#!/usr/bin/env node
import { composition } from './composition/compose.ts'
import { run } from './driving/cli/program.ts'

const words = process.argv.slice(2)

/** What is lost with these when nobody reads them: a secret that is shown once, a verdict. */
const HAS_TO_BE_READ = ['create', 'rotate', 'doctor']

// A reader that has seen enough (`| head`) is no failure of a list. A disk that does not take it is one of everything; but a
// server has more to do than to print.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (words[0] === 'serve') return
    const hasSeenEnough = error.code === 'EPIPE' && !words.some((word) => HAS_TO_BE_READ.includes(word))
    if (hasSeenEnough) process.exit(0)
    if (stream === process.stdout) {
      process.stderr.write(
        `What there was to print could not be written (${error.code}). What was done is done.\n`,
      )
    }
    process.exit(1)
  })
}

process.exitCode = await run(words, {
  composition,
  environment: process.env,
  folder: process.cwd(),
  input: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  printed: () =>
    new Promise((resolve) => {
      process.stdout.write('', (error) => {
        if (!error) resolve() // what becomes of an error is said above
      })
    }),
  say: (line) => process.stderr.write(`${line}\n`),
  untilStopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve())
    }),
})
