import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { getOrElse } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { type Checkpoint, checkpointText } from '../../domain/checkpoint.ts'
import { leafHash, merkleTree } from '../../domain/merkle-tree.ts'
import { entryBundle, tilePath } from '../../domain/tile.ts'
import { treeDigests } from '../support/integration.ts'
import { runHere } from '../support/run-here.ts'
import { KEY, ORIGIN, verifierKeyOf } from './exported-log.ts'

const { sha256, base64 } = treeDigests
const text = (one: string): Uint8Array => Buffer.from(one)
const bytes = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(parts)
const leaves = [text('{"position":1}'), text('{"position":2}')].map((entry) => leafHash(sha256, entry))
const [left = text(''), right = text('')] = leaves

/** Entries with the bytes of the node above the two leaves: without the prefix of its kind, and with each. */
const NODES: Readonly<Record<string, Uint8Array>> = {
  'the two hashes of a node': bytes(left, right),
  'the input of the hash of a node': bytes(Uint8Array.of(1), left, right),
  'the input of the hash of a leaf': bytes(Uint8Array.of(0), text('{"position":1}')),
}

const rootOf = (hashes: ReadonlyArray<Uint8Array>): Uint8Array => {
  const tree = merkleTree(sha256)
  for (const hash of hashes) tree.append(hash)
  return tree.root()
}

describe('an entry that is shaped like a node of the tree (RFC 6962 §2.1)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-node-'))
  after(() => rmSync(folder, { recursive: true }))
  const root = rootOf(leaves)

  for (const [what, entry] of Object.entries(NODES)) {
    it(`never has the hash of that node: ${what}`, () => {
      expect(base64(leafHash(sha256, entry))).not.to.equal(base64(root))
      expect(base64(rootOf([leafHash(sha256, entry)]))).not.to.equal(base64(root))
    })

    for (const size of [1, 2])
      it(`cannot stand for a log of two entries in an exported log of ${size}: ${what}`, async () => {
        const key = verifierKeyOf(KEY)
        const entries = size === 1 ? [entry] : [entry, text('{"position":2}')]
        const honest = await exported({
          entries,
          root: base64(rootOf(entries.map((one) => leafHash(sha256, one)))),
        })
        expect((await verify(honest, key)).status, 'the entry alone is no problem').to.equal(0)
        const hashes = size === 1 ? [root] : [root, right]
        for (const tile of [hashes, leaves.slice(0, size)]) {
          const crafted = await exported({ entries, root: base64(size === 1 ? root : rootOf(hashes)), tile })
          const { status, err } = await verify(crafted, key)
          expect(status).to.equal(1)
          expect(err).to.match(/^The exported log is wrong: /)
        }
      })
  }

  const verify = (exportedTo: string, key: string) =>
    runHere(`events verify --from ${exportedTo} --vkey ${key}`)

  let made = 0
  /** An exported log with any content. The key of the service has signed its checkpoint. */
  const exported = async ({
    entries,
    root: signedRoot,
    tile = entries.map((entry) => leafHash(sha256, entry)),
  }: {
    entries: ReadonlyArray<Uint8Array>
    root: string
    tile?: ReadonlyArray<Uint8Array>
  }): Promise<string> => {
    made += 1
    const log = join(folder, String(made))
    const width = entries.length
    const write = (path: string, content: Uint8Array | string): void => {
      mkdirSync(dirname(join(log, path)), { recursive: true })
      writeFileSync(join(log, path), content)
    }
    const checkpoint: Checkpoint = { origin: ORIGIN, size: width, root: signedRoot }
    const note = await ed25519Notes([KEY]).sign(checkpointText(checkpoint), ORIGIN)
    write('checkpoint', getOrElse(() => '')(note))
    write(tilePath({ level: 'entries', index: 0, width }), entryBundle(entries))
    write(tilePath({ level: 0, index: 0, width }), bytes(...tile))
    return log
  }
})
