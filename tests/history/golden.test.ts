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
  34: '+my0BNMtEVnLoGBwFFahFJHOhclzGRnYdyJCSnBE5xo=',
  35: 'KbKhYgDpKxBN1PY8osh4reh9xGSC/fiXeXGS5meTwns=',
  37: 'fbyrTJB+SKvUaY4mxZTuq4vy0HhpvF6xYxAp3aRqGwA=',
  39: 'RZyjm5AyHrAF06wUcv2AQSdkkubdtrg2a5Fne/rHrUc=',
  43: 'Rs0I89IjEvyNd+tpAqbpzXOj60tGLCK3LjRHAiJKCO8=',
  44: 'sDGqzXrUlaiYAzEjzmXfnOU11xaWSHvAN4c3fgAYZN8=',
  45: 'JGRCxz+l/JIguO8a5DvCzitBpt5OtZJ3+UeyLtpyPJ4=',
  55: '55/3FSMXIVCsisab9ZKZxrrVwfAdARIaTiGkIQgXF40=',
  58: 'Ihqwlj596oLRotj0SsQgfMZhxj6Gmb6YueIcoollM0k=',
  59: 'fCgJfPOR0qSmgjLrAlh8giT3uL1aWyr4CtXBk9BYrXQ=',
  60: 'c8xW3wAkRP0FNHcO2xoCw/nfsQ6/zVGO2hT+9h5D+hU=',
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
