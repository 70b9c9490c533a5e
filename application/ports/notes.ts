import type { Option } from 'fp-ts/lib/Option.js'

/**
 * Signed notes (C2SP signed-note, with Ed25519): a text, and a line for each signature.
 *
 * The testkit has no contract for this port: C2SP fixes every byte, and nothing replaces it.
 *
 * A verifier key is one line `NAME+HASH+KEY`. It is public, and states the name that the key signs for.
 */
export interface Notes {
  /** Returns the text with a signature of each secret key under this name, or none without a secret key. */
  sign(text: string, name: string): Promise<Option<string>>

  /** Returns the verifier keys of the secret keys under this name. */
  verifierKeys(name: string): ReadonlyArray<string>

  /**
   * Returns the text of a note, if one of these verifier keys signed it. Signatures of other keys are ignored. A wrong signature of a
   * known key refuses the note.
   */
  open(note: string, verifierKeys: ReadonlyArray<string>): Promise<Option<string>>
}
