import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from './root.ts'
import { FLOORS, SIDES } from './rules.ts'
import { SOURCES } from './sources.ts'

/** The lines of the table of docs/architecture.md with this heading: the text of each cell. */
const tableOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('\n')
  const first = lines.indexOf(heading) + 2
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  return lines.slice(first, first + length).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
}

const PATHS = SOURCES.flat().map(({ path }) => path)

describe('the rooms of docs/architecture.md', () => {
  const rooms = tableOf('| folder | side | contains |')

  it('are the folders of the tree', () => {
    const folders = new Set(PATHS.map((path) => /^(?:domain|[^/]+\/[^/]+)\//.exec(path)?.[0]))
    folders.delete(undefined) // a file of the root
    expect(rooms.map(([folder]) => folder)).to.have.members([...folders].map((folder) => `\`${folder}\``))
  })

  it('are on the side of the hexagon that the import rules hold them to', () => {
    const sides = rooms.flatMap(([folder = '', side]) => {
      const [, name] = /^`adapters\/(.+)\/`$/.exec(folder) ?? []
      return name === undefined ? [] : [[name, side] as const]
    })
    expect(Object.fromEntries(sides)).to.deep.equal(SIDES)
    expect(rooms.filter(([, side]) => side === 'inside')).to.have.lengthOf(rooms.length - sides.length)
  })

  it('stand in application/ in the order in which they may import each other', () =>
    expect(rooms.flatMap(([folder = '']) => /^`application\/(.+)\/`$/.exec(folder)?.[1] ?? [])).to.deep.equal(
      [...FLOORS].reverse(),
    ))

  it('stand beside the files of no room', () => {
    const files = tableOf('| file | is |').map(([file]) => file)
    const ofNoRoom = PATHS.filter((path) => /^(?:application|adapters)\/[^/]+$/.test(path))
    expect(files).to.have.members(ofNoRoom.map((path) => `\`${path}\``))
  })
})
