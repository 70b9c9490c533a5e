import type { Option } from 'fp-ts/lib/Option.js'

/**
 * Sealing: gives state of the service to clients, who bring it back. They can neither read nor change it, and it opens only for what
 * it was sealed for. So a ceremony of several requests needs no row in the store.
 *
 * Sealed text does not end and opens any number of times: the state itself says when it was made, and the store what was used.
 *
 * No method throws.
 */
export interface Sealing {
  /**
   * Returns the sealed text, in base64url without padding. Each call returns a different one.
   *
   * @param text well-formed Unicode. Its length can be seen
   * @param about what the text is for. It is authenticated, and not contained
   */
  seal(text: string, about: SealedFor): string

  /** Returns the text that was sealed for exactly this, under any of the keys. None for every other text. */
  open(sealed: string, about: SealedFor): Option<string>
}

/**
 * What sealed text is for: its purpose first, then what it belongs to, for example the ids of user and session. Each part counts for
 * itself: `['a', 'b']` is not `['ab']`.
 */
export type SealedFor = ReadonlyArray<string>
