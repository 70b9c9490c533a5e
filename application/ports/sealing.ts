import type { Option } from 'fp-ts/lib/Option.js'

/**
 * Sealing: gives state of the service to clients, who bring it back. They can neither read nor change it, and it opens only for what
 * it was sealed for. So a ceremony of several requests needs no row in the store.
 *
 * Sealed text opens any number of times: the state itself says when it was made, and the store what was used.
 *
 * A key-encryption key may have leaked. So a former one opens state only for a while (`FORMER_KEY_SECONDS`): its holder could forge any
 * state, and date it as new.
 *
 * No method throws.
 */
export interface Sealing {
  /**
   * Returns the sealed text, in base64url without padding. Each call returns a different one.
   *
   * @param text well-formed Unicode. Its length can be seen
   * @param about what the text is for. It is authenticated, and not contained
   * @param lifetimeSeconds how long such a state lasts. It is authenticated, too
   */
  seal(text: string, about: SealedFor, lifetimeSeconds: number): string

  /**
   * Returns the text that was sealed for exactly this and this life. None for every other text.
   *
   * The first key opens always. Another one opens in the first `FORMER_KEY_SECONDS` of the sealing, and only what lasts no longer.
   */
  open(sealed: string, about: SealedFor, lifetimeSeconds: number): Option<string>
}

/**
 * How long after its start a process opens state that a former key-encryption key has sealed, and how long such state may last. It is the
 * longest life of a state, so that no ceremony ends because of a rotation.
 */
export const FORMER_KEY_SECONDS = 600

/**
 * What sealed text is for: its purpose first, then what it belongs to, for example the ids of user and session. Each part counts for
 * itself: `['a', 'b']` is not `['ab']`.
 */
export type SealedFor = ReadonlyArray<string>
