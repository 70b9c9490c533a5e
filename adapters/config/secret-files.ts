import { readFileSync } from 'node:fs'
import { textIn, withoutLineEnd } from './files/text-file.ts'
import { quoted } from './setting.ts'
import type { Environment } from './setting-names.ts'

/** Settings that may contain a secret. The file that `<NAME>_FILE` names can provide each of them. */
export const SECRETS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'PASSWORD_PEPPER',
  'KEY_ENCRYPTION_KEY',
  'EVENT_LOG_KEY',
  'MAIL_URL',
]

/** The settings that files provide, and one sentence for each wrong file. A message never shows what a file contains. */
export const secretFiles = (environment: Environment) => {
  const contents: Record<string, string> = {}
  const wrong: Array<string> = []
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`] ?? ''
    if (file === '') continue
    if (environment[name]) {
      wrong.push(`${name}_FILE and ${name} are both set. Remove one of them`)
      continue
    }
    try {
      const text = textIn(readFileSync(file))
      if (text === undefined) wrong.push(`${name}_FILE names a file that is not UTF-8 text, ${quoted(file)}`)
      else {
        contents[name] = withoutLineEnd(text)
        if (contents[name] === '') wrong.push(`${name}_FILE names an empty file, ${quoted(file)}`)
      }
    } catch (error) {
      wrong.push(`${name}_FILE names a file that cannot be read (${causeOf(error)}), ${quoted(file)}`)
    }
  }
  return { contents, wrong }
}

/** A code such as ENOENT. */
const causeOf = (error: unknown): string => (Object(error) as { code?: string }).code ?? 'unknown error'
