import type { Sha256 } from '../../domain/merkle-tree.ts'

/**
 * What the tree of the log is made with.
 *
 * The testkit has no contract for this port: RFC 6962 and RFC 4648 fix every byte, and nothing replaces it.
 */
export type TreeDigests = Readonly<{
  sha256: Sha256
  /** Base64 with padding (RFC 4648 §4). */
  base64: (bytes: Uint8Array) => string
}>
