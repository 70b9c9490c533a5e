import { posix } from 'node:path'
import { type ParseResult, parseSync, Visitor } from 'oxc-parser'

/** A source file, with its path from the project’s root. */
export type Source = Readonly<{ path: string; text: string }>

/** One import of one file by another. */
export type Import = Readonly<{
  /** The importing file. */
  from: string
  /** The specifier in the source, such as `./user.ts` or `fp-ts/lib/Either.js`. */
  specifier: string
  /** The imported file’s path from the root, or the package’s name (such as `node:fs`). */
  to: string
  isPath: boolean
  /** Whether the import disappears at compile time. */
  isType: boolean
  /** The imported names, such as `Logger`; empty when the whole module is imported. */
  names: ReadonlyArray<string>
}>

/** Stands for a specifier that is computed at run time. */
export const COMPUTED = '(computed)'

/** Reads each source once: several rules look at each. */
export const parsed = (source: Source): ParseResult => {
  const known = PARSED.get(source)
  if (known !== undefined) return known
  const result = parseSync(source.path, source.text)
  const { module, program, errors } = result // the parser decodes them each time
  const kept = { module, program, errors } as ParseResult
  PARSED.set(source, kept)
  return kept
}

const PARSED = new WeakMap<Source, ParseResult>()

/** All imports of a file: static or dynamic, of values or types, for use or re-export. */
export const importsOf = (source: Source): ReadonlyArray<Import> => {
  const { path } = source
  const { module, program, errors } = parsed(source)
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`)

  const found: Array<Found> = []
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType)
    found.push({ specifier: moduleRequest.value, isType, names: entries.flatMap(nameOf) })
  }
  for (const entry of module.staticExports.flatMap(({ entries }) => entries)) {
    if (entry.moduleRequest === null) continue
    found.push({ specifier: entry.moduleRequest.value, isType: entry.isType, names: nameOf(entry) })
  }
  new Visitor({
    ImportExpression: ({ source }) => found.push(whole(textOf(source))),
    TSImportType: ({ source }) => found.push({ ...whole(source.value), isType: true }),
    TSExternalModuleReference: ({ expression }) => found.push(whole(expression.value)),
    CallExpression: ({ callee, arguments: [required] }) => {
      if (callee.type === 'Identifier' && callee.name === 'require') found.push(whole(textOf(required)))
    },
  }).visit(program)

  return found.map((each) => ({ from: path, ...each, ...target(path, each.specifier) }))
}

type Found = Pick<Import, 'specifier' | 'isType' | 'names'>

const nameOf = ({ importName: { name } }: { importName: { name: string | null } }): ReadonlyArray<string> =>
  name === null ? [] : [name]

/** An import of a whole module at run time. */
const whole = (specifier: string): Found => ({ specifier, isType: false, names: [] })

const textOf = (node: { type: string; value?: unknown } | undefined): string =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : COMPUTED

/** The imported file’s path from the project’s root, or the package that a specifier names. */
const target = (from: string, specifier: string): Pick<Import, 'to' | 'isPath'> => {
  const isPath = /^(\.{0,2}\/|\.{1,2}$)/.test(specifier)
  if (specifier.startsWith('/')) return { isPath, to: specifier }
  if (isPath) return { isPath, to: posix.join(posix.dirname(from), specifier) }
  const words = specifier.split('/')
  return { isPath, to: words.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') }
}
