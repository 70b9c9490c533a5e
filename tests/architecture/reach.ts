import { type Import, importsOf, type Source } from './imports.ts'

/** All imports of a file and of the files that it imports, directly or indirectly. */
export const importsFrom = (entry: string, sources: ReadonlyArray<Source>): ReadonlyArray<Import> => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const seen = new Set<string>()
  const found: Array<Import> = []
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const source = byPath.get(path)
    if (source === undefined) throw new Error(`${path} is imported and not there`)
    const imports = importsOf(source)
    found.push(...imports)
    waiting.push(...imports.filter(({ isPath, to }) => isPath && isOurs(to)).map(({ to }) => to))
  }
  return found
}

/** Whether the testkit may import this: modules of every Node, fp-ts, or exports of the package. */
export const isOfTestkit = ({ to, isPath, specifier }: Import): boolean =>
  isPath
    ? /^(domain|application)\//.test(to) || isContract(to)
    : specifier === 'node:assert/strict' || /^fp-ts\/lib\/[A-Za-z]+\.js$/.test(specifier)

const isContract = (path: string): boolean => path.startsWith('tests/testkit/')

const isOurs = (path: string): boolean => /^(domain|application|tests\/testkit)\//.test(path)
