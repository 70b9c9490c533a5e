import { readFileSync, writeFileSync } from 'node:fs'
import { withExamples } from './cli-examples.ts'
import { withReferences } from './cli-reference.ts'

/** Writes the references and the outdated examples of docs/cli.md anew, from the program. `make docs` runs this. */
const PAGE = 'docs/cli.md'
writeFileSync(PAGE, await withExamples(withReferences(readFileSync(PAGE, 'utf8'))))
