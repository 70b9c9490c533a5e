/** Which kind of token a key signs. Keys are never shared between kinds. */
export const KEY_PURPOSES = ['application', 'user'] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** A key pair that signs tokens, as it is kept in the store. */
export type SigningKey = Readonly<{
  /** Names the record: its purpose and a running number. */
  id: string
  /** The key id that tokens carry. */
  kid: string
  purpose: KeyPurpose
  /** The secret key in the words of the token format that made it. Opaque here, and never in a log. */
  material: string
  createdAtSeconds: number
  /** How often this record was written; 1 is the first time. */
  version: number
}>
