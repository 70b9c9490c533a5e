import { isAbsolute, join } from 'node:path'
import type { Environment, Settings } from './settings.ts'

/**
 * The file of the read model: that of READ_MODEL, else one beside a SQLite store, else one in the state folder (docs/settings.md).
 *
 * @param haveStorage DATABASE_URL names no store
 * @throws Error with one sentence for operators if there is no state folder
 */
export const readModelPath = (
  { readModel, database }: Pick<Settings, 'readModel' | 'database'>,
  environment: Environment,
  haveStorage: boolean,
): string => {
  if (readModel !== undefined) return readModel
  if (database.kind === 'sqlite' && !haveStorage) return `${database.path}.read-model`
  const folder = stateFolder(environment)
  if (folder === undefined)
    throw new Error('There is no folder for the read model: set READ_MODEL to the path of a file.')
  return join(folder, 'portcullis.read-model')
}

/** That of systemd, which may name several, or of XDG, where a relative path counts as unset. */
const stateFolder = ({ STATE_DIRECTORY, XDG_STATE_HOME, HOME }: Environment): string | undefined => {
  const [ofUnit = ''] = (STATE_DIRECTORY ?? '').split(':')
  if (ofUnit !== '') return ofUnit
  if (XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'portcullis')
  return HOME ? join(HOME, '.local', 'state', 'portcullis') : undefined
}
