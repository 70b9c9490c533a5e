import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

/** docs/adapters.md, whose code the tests run. */
export const adaptersPage = (): string => readFileSync(join(ROOT, 'docs', 'adapters.md'), 'utf8')

/** A part of a page of Markdown: from its heading to the next one of the same or a higher rank. */
export const partOf = (page: string, heading: string): string => {
  const [marks = ''] = heading.split(' ')
  const from = page.indexOf(`\n${heading}\n`)
  if (from < 0) throw new Error(`there is no ${heading}`)
  const rest = page.slice(from + heading.length + 2)
  const next = rest.search(new RegExp(`^#{2,${marks.length}} `, 'm'))
  return next < 0 ? rest : rest.slice(0, next)
}

/** The blocks of code in one language, in their order. */
export const codeIn = (page: string, language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  )
