import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { logLinesOfValues } from '../../adapters/stores/records/log-line.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { NewEntry } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { leafHash, merkleTree, type Sha256 } from '../../domain/merkle-tree.ts'
import { onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { everyEvent } from '../testkit/store/every-event.ts'

/** Lines as the first version wrote them. They must stay as they are, because signed checkpoints cover them. */
const GOLDEN = readFileSync('tests/history/golden-lines.jsonl', 'utf8').trimEnd().split('\n')

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer')

describe('the golden lines', () => {
  it('contain every event in the version that is written', () => {
    const shapes = GOLDEN.map((line) => JSON.parse(line)).map(({ type, version }) => `${type} ${version}`)
    const written = everyEvent().map(({ event: { type, version } }) => `${type} ${version}`)
    const missing = written.filter((shape) => !shapes.includes(shape))
    expect(missing, 'add a line to tests/history/golden-lines.jsonl').to.deep.equal([])
    const types = GOLDEN.map((line) => JSON.parse(line).type)
    expect(EVENT_TYPES, 'a type of a golden line must stay readable').to.include.members(types)
  })

  it('have the roots that they always had', () => {
    const tree = merkleTree(sha256)
    const roots: Record<number, string> = {}
    for (const line of GOLDEN) {
      tree.append(leafHash(sha256, Buffer.from(line)))
      roots[tree.size()] = Buffer.from(tree.root()).toString('base64')
    }
    expect(roots).to.include(ROOTS)
    expect(ROOTS, `ROOTS has no root of all lines: it is ${roots[GOLDEN.length]}`).to.have.property(
      String(GOLDEN.length),
    )
  })
})

describe('a line', () => {
  it('spells each character of a text as JSON.stringify does', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}b`)
    const wrong = [...units, '😀', '"', ''].filter((id) => {
      const [line] = logLinesOfValues([[1, id, 'T', 1, id, 'user', id, 'operator', id, id, '{}']], {})
      const text = JSON.stringify(id)
      const expected = `{"position":1,"id":${text},"type":"T","version":1,"at":${text},"subject":{"kind":"user","id":${text}},"actor":{"kind":"operator","id":${text}},"request_id":${text},"data":{}}`
      return Buffer.from(line?.bytes ?? []).toString() !== expected
    })
    expect(wrong).to.deep.equal([])
  })
})

/** The root of the lines up to each new type. */
const ROOTS = {
  34: 'QhGyfzS016FwITYzxY20QPsPqzmKpL1L42CpZAjGxTQ=',
  35: 'iAGE2VwBc8xQpq47qgEEkSMfYIVFsXi0QWcwyNoRqXY=',
  37: '/rg11YegSAKPU48Rz/395BZl9qbs3RHFkscFlxazA4Y=',
  39: '4li4UR6Wakev+5EsUl0VtesWJG7qATyrTjaHepSlnHk=',
  43: 'wFsk2rrWBvjL5MjTkJaaRQ6Ug5S9J6E4L9ET9gowdjQ=',
  44: '7e9NsHjLDy3q7Z4WZbKMpa76h76Pn0Sq6UyXZG9OyHc=',
  45: 'Cm9g0ocyv1+TDsCfbkfYcT7FsUBIGFjXoHCahZZZT6k=',
  55: 'aM+jLXzbBDeZNayf6yFD0Jtk263BdRqXLRTsPBDH9sM=',
  58: '51OKO5BxqWbsMkOYoawW4n6eNcVOFUDJJh+ZdJPKwYo=',
  59: 'YZAtJHrcNrCHWcwUBR6OCgZXU3LYMEoWvk1khi46oek=',
  60: '1afOgpcVvbPUk0oFTTRo5iSY1ntaMKOH2F0GlXGhfWc=',
}

onEveryStore('the golden lines', (stores) => {
  it('are the lines of their entries', async () => {
    const { store } = await stores.lasting()
    for (const line of GOLDEN) {
      const { position: _, ...entry }: NewEntry & { position: number } = JSON.parse(line)
      await succeed(store.commit({ id: entry.id, events: [entry], compared: [], rows: [] }))
    }
    const lines = treeOf(store)
    const read = await lines?.readLines({ after: 0, limit: 100 })()
    expect(read).to.have.property('_tag', 'Right')
    if (read?._tag !== 'Right') return
    expect(read.right.map(({ bytes }) => Buffer.from(bytes).toString())).to.deep.equal(GOLDEN)
  })
})
