#!/usr/bin/env node
import { run } from './program.ts'

const words = process.argv.slice(2)

// A reader that has seen enough (`| head`) is no failure of a list, but one of a command whose secret is lost with it;
// a server has more to do than to print.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    if (words[0] !== 'serve') process.exit(words.includes('create') ? 1 : 0)
  })
}

process.exitCode = await run(words, {
  environment: process.env,
  folder: process.cwd(),
  input: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
})
