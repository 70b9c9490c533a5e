import { readFileSync, writeFileSync } from 'node:fs'
import { allRoutes } from './all-routes.ts'
import { operationsModule } from './operations-module.ts'
import { vocabularyModule } from './vocabulary-module.ts'

/** Writes two files of `adapters/client/` for `npm run build`, from the operations of a service with everything on. */
const routes = await allRoutes()
const FILES = { 'operations.ts': operationsModule(routes), 'vocabulary.ts': vocabularyModule(routes) }

const currentText = (file: URL): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

for (const [name, text] of Object.entries(FILES)) {
  const file = new URL(`../../adapters/client/${name}`, import.meta.url)
  // An unchanged file lets the compiler skip what depends on it.
  if (currentText(file) !== text) writeFileSync(file, text)
}
