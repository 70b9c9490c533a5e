import { expect } from 'chai'
import { importsOf, type Source } from './imports.ts'
import { SOURCES } from './sources.ts'

/** The files of one circle of imports, the first one again at the end. Empty without a circle. Imports of types count. */
const circleIn = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const imported = new Map(
    sources.map((source) => [source.path, importsOf(source).map(({ to }) => to)] as const),
  )
  // A file is in no circle if it imports no other file of the map. Without those, each file left leads to a circle.
  const next = (path: string) => imported.get(path)?.find((to) => imported.has(to))
  for (let before = -1; before !== imported.size; ) {
    before = imported.size
    for (const path of [...imported.keys()]) if (next(path) === undefined) imported.delete(path)
  }
  const [first] = imported.keys()
  const walked: Array<string> = []
  for (let path = first; path !== undefined; path = next(path)) {
    if (walked.includes(path)) return [...walked.slice(walked.indexOf(path)), path]
    walked.push(path)
  }
  return []
}

describe('the files of domain/, application/ and adapters/', () => {
  it('do not import each other in a circle', () => {
    expect(circleIn(SOURCES.flat()).join(' imports ')).to.equal('')
  })
})
