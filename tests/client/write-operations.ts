import { readFileSync, writeFileSync } from 'node:fs'
import { allRoutes } from './all-routes.ts'
import { operationsModule } from './operations-module.ts'

/** Writes `adapters/client/operations.ts` for `npm run build`, from the operations of a service with everything on. */
const FILE = new URL('../../adapters/client/operations.ts', import.meta.url)

const currentText = (): string | undefined => {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    return undefined
  }
}

const text = operationsModule(await allRoutes())
// An unchanged file lets the compiler skip what depends on it.
if (currentText() !== text) writeFileSync(FILE, text)
