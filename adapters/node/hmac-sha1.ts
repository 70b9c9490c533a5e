import { createHmac } from 'node:crypto'
import type { Digests } from '../../application/ports/environment.ts'

/** The only place of SHA-1 that is not for data of other systems. Collisions of SHA-1 do not weaken HMAC (RFC 6194 §3.3). */
export const hmacSha1: Digests['hmacSha1'] = (key, message) =>
  createHmac('sha1', key).update(message).digest()
