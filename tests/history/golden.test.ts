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
  35: 'izvwvwcKvsUZFOykBSjOXbV8dZXJ+93jTrWbZmCuyC0=',
  37: 'jXGShXpiNIT8jM1ZWSp7Q6rRTHfLCouPor79Ef7YcTU=',
  39: 'D+XRpvN99IRKryEw8LP3m5XPV5ftXLaXY64oy2aMWgE=',
  43: 'Ch9DfGZB6VCekUMu+XfQssKGfVyNAQDLoVgRQBueMXs=',
  44: 'vZNzg6A7R88rqSU3yUw7QcT3BbKSSrcR4la7DTakZMw=',
  45: 'fpyg6rXVGGy5aBFKbudT6SfFnHuph81kNg8gJpxmOQY=',
  55: 'T2HeUH2AoA1Bfss2rEgfbyfneUMOD5+i03wbxwc3ZGs=',
  58: '/gM8m633/j9tF6n+4nne44Q3bJeGoIXouVQul6YeeOA=',
  59: '9heexCKzxdp+OlCPRw6B8X5p6kKC2R7RlqMZUarwySs=',
  60: 'glFXhdu0evdLpIeJU3O2f3K1lzriGDadbPc0GwW0Lps=',
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
