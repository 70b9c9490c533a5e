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

/**
 * A line of each event. After the first release they stay as they are, because signed checkpoints cover them. Between them are the roots of
 * all lines before.
 */
const LINES = readFileSync('tests/history/golden-lines.jsonl', 'utf8').trimEnd().split('\n')
const GOLDEN = LINES.filter((line) => !line.startsWith('{"root"'))

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

  it('have the roots that the file has between them', () => {
    const tree = merkleTree(sha256)
    let root: string | undefined
    for (const line of LINES) {
      const { root: expected } = JSON.parse(line)
      if (expected === undefined) tree.append(leafHash(sha256, Buffer.from(line)))
      root = Buffer.from(tree.root()).toString('base64')
      if (expected !== undefined) expect(expected, `of the ${tree.size()} lines before`).to.equal(root)
    }
    expect(LINES.at(-1), 'the last line is the root of all before').to.equal(JSON.stringify({ root }))
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
