import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { CommandFailed, EXIT } from '../cli/exit.ts'
import { Dependency } from './dependencies.ts'
import type { Module } from './provide.ts'

/**
 * The modules that a file exports: `default` or `modules`, one or an array.
 *
 * @param file an absolute path
 * @throws CommandFailed
 */
export const partsOf = async (file: string): Promise<ReadonlyArray<Module>> => {
  const wrong = (what: string) => new CommandFailed(`--with ${file}: ${what}`, EXIT.wrongUsage)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw wrong('there is no such file.')
  const exported = await load(file)
  const parts: unknown = exported.default ?? exported.modules
  const all: ReadonlyArray<unknown> = Array.isArray(parts) ? parts : [parts]
  if (all.length === 0 || !all.every(isModule))
    throw wrong('its default export must be a call of provide(…), or an array of such calls.')
  if (all.some(isOfAnotherCopy))
    throw wrong(
      'it imports another copy of portcullis than this command. Run the command of the copy that it imports, or see docs/deploy-parts.md, Where the file lies.',
    )
  return all
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

const isModule = (part: unknown): part is Module =>
  typeof part === 'object' &&
  part !== null &&
  'what' in part &&
  typeof part.what === 'function' &&
  'binding' in part &&
  typeof part.binding === 'object'

/** Each copy of the package has its own identifiers, so the modules of another copy would replace nothing. */
const isOfAnotherCopy = ({ what }: Module): boolean => {
  const own = Object.entries(Dependency).find(([name]) => name === what.name)
  return own !== undefined && own[1] !== what
}
