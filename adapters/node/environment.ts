import { hash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { v7 } from 'uuid'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { TreeDigests } from '../../application/ports/tree-digests.ts'
import { hmacSha1 } from './hmac-sha1.ts'

/** The clock, timer, randomness and digests of the process. */

export const systemClock: Clock = Date.now

export const systemTimer: Timer = {
  now: () => performance.now(),
  until: (atMs) => async () => {
    for (;;) {
      const leftMs = atMs - performance.now()
      if (leftMs <= 0) return
      await setTimeout(Math.ceil(leftMs)) // a timer may fire a little early
    }
  },
}

/**
 * Repeats work without keeping the process alive.
 *
 * @returns what ends it
 */
export const everyMs = (milliseconds: number, work: () => void): (() => void) => {
  const timer = setInterval(work, milliseconds).unref()
  return () => clearInterval(timer)
}

export const nodeDigests: Digests = {
  sha256: (text) => hash('sha256', text, 'hex'),
  areEqual: (one, other) => {
    const [left, right] = [Buffer.from(one), Buffer.from(other)]
    return left.length === right.length && timingSafeEqual(left, right)
  },
  hmacSha1,
}

export const nodeTreeDigests: TreeDigests = {
  sha256: (bytes) => Buffer.from(hash('sha256', bytes, 'binary'), 'binary'), // half the time of 'buffer'
  base64: (bytes) => Buffer.from(bytes).toString('base64'),
}

/**
 * UUIDs that also increase within a millisecond (RFC 9562 §6.2, method 1). The random part comes from a pool, because
 * asking the operating system for each id costs more than everything else.
 */
const risingUuids = (): (() => string) => {
  const pool = Buffer.allocUnsafe(256 * UUID_BYTES)
  let taken = pool.length
  const random = Buffer.alloc(UUID_BYTES)
  let milliseconds = 0
  let sequence = 0

  return () => {
    if (taken === pool.length) {
      randomFillSync(pool)
      taken = 0
    }
    pool.copy(random, 0, taken) // a view of the pool would be one more object for each id
    taken += UUID_BYTES
    const now = Date.now()
    if (now > milliseconds) {
      milliseconds = now
      sequence = random.readUInt32BE(6) >>> 1 // leaves room to count up
    } else {
      sequence += 1
      if (sequence > MAX_SEQUENCE) {
        milliseconds += 1
        sequence = 0
      }
    }
    return v7({ msecs: milliseconds, seq: sequence, random })
  }
}

const UUID_BYTES = 16
const MAX_SEQUENCE = 0xffffffff

export const systemRandom: Random = { uuid: risingUuids(), bytes: (length) => randomBytes(length) }
