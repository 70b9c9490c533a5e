import { readFileSync } from 'node:fs'
import type { Environment } from './setting-names.ts'

/** Settings that may hold a secret. Each can come from the file that `<NAME>_FILE` names. */
export const SECRETS = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'PASSWORD_PEPPER', 'KEY_ENCRYPTION_KEY']

/** The settings that come from files, and one sentence for each file that is wrong. */
export const secretFiles = (environment: Environment) => {
  const contents: Record<string, string> = {}
  const wrong: Array<string> = []
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if (environment[name]) {
      wrong.push(`${name}_FILE: ${name} is set too; keep one of them`)
      continue
    }
    try {
      const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      if (content === '') wrong.push(`${name}_FILE: the file it names is empty`)
      contents[name] = content
    } catch {
      wrong.push(`${name}_FILE: the file it names cannot be read`)
    }
  }
  return { contents, wrong }
}
