import type { Task } from 'fp-ts/lib/Task.js'

/**
 * What a pure function cannot have (time, chance), and what the domain's language has not (digests). None of them fails.
 *
 * Their contracts in the testkit cannot see whether bytes are predictable, or whether the time of a comparison tells anything.
 */

/** Milliseconds since the epoch. May jump. */
export type Clock = () => number

/** Time that passes. */
export interface Timer {
  /** Milliseconds since some moment. Never goes back. */
  now(): number
  /** Waits until `now()` is at least that. */
  until(atMs: number): Task<void>
}

export interface Random {
  /** A new UUIDv7 (RFC 9562), greater than every one this process made before. */
  uuid(): string
  /** Unpredictable bytes, fit for secrets. */
  bytes(length: number): Uint8Array
}

export interface Digests {
  /** SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
  sha256(text: string): string
  /** Whether two digests are equal, in a time that does not depend on where they differ. */
  areEqual(one: string, other: string): boolean
}
