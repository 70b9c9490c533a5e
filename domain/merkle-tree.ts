/** SHA-256 (FIPS 180-4): 32 bytes for any bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** The hash of an entry (RFC 6962 §2.1). The prefix keeps an entry from looking like a node. */
export const leafHash = (sha256: Sha256, entry: Uint8Array): Uint8Array => {
  const length = 1 + entry.length
  const bytes = length <= room.length ? room.subarray(0, length) : new Uint8Array(length)
  bytes[0] = LEAF
  bytes.set(entry, 1)
  return sha256(bytes)
}

const nodeHash = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array => {
  node.set(left, 1)
  node.set(right, 33)
  return sha256(node)
}

const LEAF = 0
const NODE = 1

/** What is hashed is put together here: a new array for each hash would take as long as the hash. */
const room = new Uint8Array(4_096)
/** NODE and two hashes: a view of `room` for each node would be one more object. */
const node = new Uint8Array(65)
node[0] = NODE

/** A complete subtree: `index` counts the subtrees of its level from the left. A leaf has level 0. */
export type Subtree = Readonly<{ level: number; index: number; hash: Uint8Array }>

/** A Merkle tree (RFC 6962 §2.1) that grows at its right edge. It keeps only the roots of complete subtrees there. */
export type MerkleTree = Readonly<{
  /** Adds the hash of the next leaf. Returns every subtree that it completes, the leaf first. */
  append(leaf: Uint8Array): ReadonlyArray<Subtree>
  size(): number
  root(): Uint8Array
}>

/**
 * Returns an empty tree, or one that begins with complete subtrees.
 *
 * @param begin from the left, each directly behind the one before and none larger
 */
export const merkleTree = (sha256: Sha256, begin: Iterable<Subtree> = []): MerkleTree => {
  const edge: Array<Subtree> = [] // from the largest to the smallest
  let size = 0

  const add = (added: Subtree): ReadonlyArray<Subtree> => {
    let subtree = added
    const completed = [subtree]
    for (let left = edge.at(-1); left?.level === subtree.level; left = edge.at(-1)) {
      edge.pop()
      const hash = nodeHash(sha256, left.hash, subtree.hash)
      subtree = { level: subtree.level + 1, index: left.index / 2, hash }
      completed.push(subtree)
    }
    edge.push(subtree)
    size += 2 ** added.level
    return completed
  }

  for (const subtree of begin) add(subtree)
  return {
    append: (leaf) => add({ level: 0, index: size, hash: leaf }),
    size: () => size,
    root: () =>
      edge.length === 0
        ? sha256(new Uint8Array())
        : edge.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(sha256, left, right)),
  }
}
