import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Composition } from './composition.ts'
import { CommandFailed, EXIT } from './exit.ts'

/**
 * The composition in which the modules of a file of `--with` replace dependencies: those of its export `default` or `modules`.
 *
 * @param file an absolute path
 * @throws CommandFailed
 */
export const withPartsOf = async (file: string, composition: Composition): Promise<Composition> => {
  const wrong = (what: string) => new CommandFailed(`--with ${file}: ${what}`, EXIT.wrongUsage)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw wrong('there is no such file.')
  const exported = await load(file)
  const composed = composition.withParts(file, exported.default ?? exported.modules)
  if (isLeft(composed)) throw wrong(composed.left)
  return composed.right
}

type Exported = Readonly<{ default?: unknown; modules?: unknown }>

const load = async (file: string): Promise<Exported> => {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const why = error instanceof Error ? error.message : `${error}`
    const hint = why.startsWith("Cannot find package 'portcullis'") ? FIND_HINT : ''
    throw new CommandFailed(`--with ${file}: the import failed: ${why}${hint}`)
  }
}

const FIND_HINT = '. See docs/deploy-parts.md, Where the file lies.'
