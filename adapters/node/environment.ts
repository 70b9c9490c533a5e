import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock, Digests, Random } from '../../application/ports/environment.ts'

/** The clock, randomness and digests of the process. */

export const systemClock: Clock = Date.now

export const systemRandom: Random = {
  uuid: () => v7(),
  bytes: (length) => randomBytes(length),
}

export const nodeDigests: Digests = {
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  areEqual: (one, other) => {
    const [left, right] = [Buffer.from(one), Buffer.from(other)]
    return left.length === right.length && timingSafeEqual(left, right)
  },
}
