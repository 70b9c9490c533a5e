import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { textIn } from './files/text-file.ts'
import type { Environment } from './setting-names.ts'
import { SETTINGS } from './settings.ts'

/** The environment of the process over that of the `.env` file in `folder`, if there is one. */
export const environmentOf = (processEnvironment: Environment, folder: string): Environment => {
  const set = Object.entries(processEnvironment).filter(([, value]) => value !== '') // an empty value counts as not set
  return { ...envFileOf(folder), ...Object.fromEntries(set) }
}

/** The names in the `.env` file in `folder` that are not settings. They have no effect. */
export const unknownNamesIn = (folder: string): ReadonlyArray<string> =>
  Object.keys(envFileOf(folder)).filter((name) => !SETTINGS.includes(name) && name !== 'PGSSLMODE')

const envFileOf = (folder: string): Environment => {
  const file = join(folder, '.env')
  if (!existsSync(file)) return {}
  const text = textIn(readFileSync(file))
  if (text === undefined) throw new Error(`${file} is not UTF-8 text.`)
  return parseEnv(text)
}
