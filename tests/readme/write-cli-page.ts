import { readFileSync, writeFileSync } from 'node:fs'
import { allRoutes } from '../client/all-routes.ts'
import { withRoutes } from '../client/routes-table.ts'
import { withExamples } from './cli-examples.ts'
import { CLI_PAGES, PAGE_BREAK, withReferences } from './cli-reference.ts'

/** Writes the references and the outdated examples of the pages anew, from the program. `make docs` runs this. */
const text = CLI_PAGES.map((path) => readFileSync(path, 'utf8')).join(PAGE_BREAK)
const pages = (await withExamples(withReferences(text))).split(PAGE_BREAK)
CLI_PAGES.forEach((path, index) => {
  writeFileSync(path, pages[index] ?? '')
})

const IMPORT_PAGE = 'docs/import.md'
writeFileSync(IMPORT_PAGE, await withExamples(readFileSync(IMPORT_PAGE, 'utf8')))

const ROUTES_PAGE = 'docs/routes.md'
writeFileSync(ROUTES_PAGE, withRoutes(readFileSync(ROUTES_PAGE, 'utf8'), await allRoutes()))
