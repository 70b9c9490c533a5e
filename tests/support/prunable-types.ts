import { PRUNABLE_TYPES } from '../../adapters/index.ts'
import { expectListed } from './listed.ts'

/**
 * Fails unless the SQL that guards the log lists exactly the prunable types.
 *
 * @param migrations where the SQL comes from
 */
export const expectPrunableTypes = (sql: string, migrations: string): void => {
  const [, list = ''] = /type NOT IN \(([^)]*)\)/.exec(sql) ?? []
  const listed = [...list.matchAll(/'(\w+)'/g)].map(([, type = '']) => type)
  expectListed(listed, PRUNABLE_TYPES, `add a migration to ${migrations} that changes log_no_delete`)
}
