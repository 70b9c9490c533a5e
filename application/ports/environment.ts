import type { Task } from 'fp-ts/lib/Task.js'

/**
 * Time, randomness and digests, which pure functions cannot have. None of them fails.
 *
 * Their contracts in the testkit cannot test whether bytes are unpredictable, or whether a comparison takes constant time.
 */

/** Returns the milliseconds since the epoch. It may jump. */
export type Clock = () => number

/** A monotonic timer. */
export interface Timer {
  /** Returns the milliseconds since a fixed moment. It never goes back. */
  now(): number
  /** Waits until `now()` is at least `atMs`. */
  until(atMs: number): Task<void>
}

export interface Random {
  /** Returns a new UUIDv7 (RFC 9562), greater than every earlier one of this process. */
  uuid(): string
  /** Returns cryptographically secure random bytes. */
  bytes(length: number): Uint8Array
}

export interface Digests {
  /** Returns the SHA-256 of the text's UTF-8 bytes in hexadecimal. */
  sha256(text: string): string
  /** Whether two digests are equal, in constant time. */
  areEqual(one: string, other: string): boolean
  /** Returns the HMAC-SHA-1 (RFC 2104): 20 bytes. Only for codes of authenticator apps (RFC 6238), which know nothing else. */
  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array
}
