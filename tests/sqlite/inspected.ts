import { expect } from 'chai'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import type { Finding } from '../../application/ports/inspection.ts'

/** The finding of an undamaged file. */
export const WHOLE = { name: 'store', ok: true, detail: 'SQLite finds no damage.' }

/** The finding of this name. */
export const finding = (path: string, name: string): Finding => {
  const found = inspectSqlite(path).filter((each) => each.name === name)
  expect(found, name).to.have.length(1)
  return found[0] ?? { name, ok: false, detail: '' }
}
