import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../architecture/root.ts'

type Pattern = Readonly<{ isLeftOut: boolean; matches: RegExp }>

/** The lines of .dockerignore, as the builders of images take them. */
const patterns: ReadonlyArray<Pattern> = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ isLeftOut: !line.startsWith('!'), matches: regExpOf(line.replace(/^!/, '')) }))

/** `*` stands for a part of one name, `**` and a slash for any folders. */
function regExpOf(pattern: string): RegExp {
  const parts = pattern
    .split('/')
    .map((part) => (part === '**' ? '' : part.replaceAll('.', '\\.').replaceAll('*', '[^/]*')))
  return new RegExp(`^${parts.join('/').replace(/^\//, '(?:.*/)?')}$`)
}

const withParents = (path: string): ReadonlyArray<string> =>
  path === '.' ? [] : [path, ...withParents(dirname(path))]

/**
 * Whether a file goes to whoever builds the image: the last line of .dockerignore that is about it, or about a folder that it is
 * in, decides.
 */
export const isSent = (path: string): boolean => {
  const names = withParents(path)
  return !patterns.findLast(({ matches }) => names.some((name) => matches.test(name)))?.isLeftOut
}
