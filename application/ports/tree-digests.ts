import type { Sha256 } from '../../domain/merkle-tree.ts'

/** What the tree of the log is made with. */
export type TreeDigests = Readonly<{
  sha256: Sha256
  /** Base64 with padding (RFC 4648 §4). */
  base64: (bytes: Uint8Array) => string
}>
