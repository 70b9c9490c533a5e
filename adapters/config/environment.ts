import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { textIn } from './files/text-file.ts'
import type { Environment } from './setting-names.ts'
import { SETTINGS, WrongSettings } from './settings.ts'

/** The file that adds to the environment of the process. */
export type EnvFile = Readonly<{
  /** As the operator wrote it. */
  name: string
  path: string
  /** The operator has named it. Otherwise it is the `.env` that lies in the folder, perhaps of another program. */
  isNamed: boolean
  values: Environment
}>

/** The variable that names the file. It is not a setting, so the file itself cannot contain it. */
const ENV_FILE = 'PORTCULLIS_ENV_FILE'

/**
 * The file that `PORTCULLIS_ENV_FILE` names, else `.env` in `folder`. Without `.env` there are no values.
 *
 * @throws WrongSettings if it cannot be read
 */
export const envFileOf = (processEnvironment: Environment, folder: string): EnvFile => {
  const named = processEnvironment[ENV_FILE] ?? ''
  const name = named === '' ? DEFAULT_NAME : named
  const path = resolve(folder, name)
  const text = named === '' && !existsSync(path) ? '' : readableText(path)
  if (text === undefined)
    throw new WrongSettings(
      named === ''
        ? `The file ${name} in ${folder} cannot be read. Make it a readable file in UTF-8, or remove it.`
        : `${ENV_FILE} names ${path}, which cannot be read. Name a readable file in UTF-8.`,
    )
  return { name, path, isNamed: named !== '', values: parseEnv(text) }
}

const DEFAULT_NAME = '.env'

/** Undefined for a file that is missing, unreadable or not UTF-8. */
const readableText = (path: string): string | undefined => {
  try {
    return textIn(readFileSync(path))
  } catch {
    return undefined
  }
}

/** The environment of the process over that of the file. A setting that the process reads from a file is not also that of this one. */
export const environmentOf = (processEnvironment: Environment, { values }: EnvFile): Environment => {
  const set = Object.entries(processEnvironment).filter(([, value]) => value !== '') // an empty value counts as not set
  const names = new Set(set.map(([name]) => settingOf(name)))
  const others = Object.entries(values).filter(([name]) => !names.has(settingOf(name)))
  return Object.fromEntries([...others, ...set])
}

/** The setting to which a name gives a value: `DATABASE_URL_FILE` to `DATABASE_URL`. */
const settingOf = (name: string): string => {
  const setting = name.replace(/_FILE$/, '')
  return SETTINGS.includes(setting) ? setting : name
}

/** The names in the file that are not settings. They have no effect. */
export const unknownNamesIn = ({ values }: EnvFile): ReadonlyArray<string> =>
  Object.keys(values).filter((name) => !SETTINGS.includes(name) && name !== 'PGSSLMODE')

/** The setting that names the store, and whether only the file sets it. Undefined for the default store. */
export const storeSourceOf = (
  processEnvironment: Environment,
  { values }: EnvFile,
): Readonly<{ setting: string; isInFile: boolean }> | undefined => {
  const inProcess = storeSettingIn(processEnvironment)
  const setting = inProcess ?? storeSettingIn(values)
  return setting === undefined ? undefined : { setting, isInFile: inProcess === undefined }
}

const storeSettingIn = (environment: Environment): string | undefined =>
  STORE_SETTINGS.find((name) => (environment[name] ?? '') !== '')

const STORE_SETTINGS = ['DATABASE_URL', 'DATABASE_URL_FILE']
