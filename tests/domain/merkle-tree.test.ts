import { createHash } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { leafHash, merkleTree, type Sha256, type Subtree } from '../../domain/merkle-tree.ts'
import { SEED, withoutIo } from './no-io.ts'

const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The tests of Certificate Transparency: the entries, and the root of the first 0, 1, 2 … of them. */
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((entry) => Buffer.from(entry, 'hex'))
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

/** MTH of RFC 6962 §2.1, word for word. */
const treeHash = (entries: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = entries
  if (first === undefined) return sha256(new Uint8Array())
  if (entries.length === 1) return sha256(Buffer.concat([Buffer.of(0), first]))
  let k = 1
  while (k * 2 < entries.length) k *= 2
  return sha256(Buffer.concat([Buffer.of(1), treeHash(entries.slice(0, k)), treeHash(entries.slice(k))]))
}

/** The tree after each entry, and all subtrees that it completed. */
const grown = (entries: ReadonlyArray<Uint8Array>) => {
  const tree = merkleTree(sha256)
  const roots = [tree.root()]
  const completed: Array<ReadonlyArray<Subtree>> = []
  for (const entry of entries) {
    completed.push(tree.append(leafHash(sha256, entry)))
    roots.push(tree.root())
  }
  return { roots, completed, size: tree.size() }
}

describe('a Merkle tree', () => {
  withoutIo()

  it('has the roots of Certificate Transparency’s tests', () => {
    const { roots, size } = grown(ENTRIES)
    expect(roots.map(hex)).to.deep.equal(ROOTS)
    expect(size).to.equal(ENTRIES.length)
  })

  const entries = fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 70 })

  it('has the root that RFC 6962 defines, at every size', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const expected = Array.from({ length: all.length + 1 }, (_, size) => treeHash(all.slice(0, size)))
        expect(grown(all).roots.map(hex)).to.deep.equal(expected.map(hex))
      }),
      { seed: SEED },
    )
  })

  it('returns each complete subtree once, with the entry that completes it, the leaf first', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const expected = all.map((_, index) => {
          const found: Array<Readonly<{ level: number; index: number; hash: string }>> = []
          for (let level = 0; (index + 1) % 2 ** level === 0; level += 1) {
            const below = all.slice(index + 1 - 2 ** level, index + 1)
            found.push({ level, index: (index + 1) / 2 ** level - 1, hash: hex(treeHash(below)) })
          }
          return found
        })
        const completed = grown(all).completed.map((some) =>
          some.map(({ level, index, hash }) => ({ level, index, hash: hex(hash) })),
        )
        expect(completed).to.deep.equal(expected)
      }),
      { seed: SEED },
    )
  })

  it('does not confuse an entry with a node of the same bytes', () => {
    const leaves = ENTRIES.slice(0, 2).map((entry) => leafHash(sha256, entry))
    const root = sha256(Buffer.concat([Buffer.of(1), ...leaves]))
    expect(hex(root), 'the node').to.equal(ROOTS[2])
    for (const prefix of [Buffer.of(), Buffer.of(1)]) {
      const shaped = Buffer.concat([prefix, ...leaves])
      expect(hex(grown([shaped]).roots[1] ?? root)).not.to.equal(ROOTS[2])
    }
  })
})
