import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Success } from './operation.ts'
import type { HttpResponse } from './response.ts'
import type { Schema } from './schema.ts'

/**
 * Responses that are the same for all clients and change seldom. Caches may store them for a minute, and revalidate with the ETag.
 *
 * A minute is safe. A new signing key is published `KEYS_CACHED_SECONDS` (ten minutes) before it signs. An instance learns of
 * it within 1 s, clocks may differ by 5 s, and verifiers may keep what they got for 480 s: 1 + 60 + 480 + 5 < 600.
 * `must-revalidate` keeps a cache from serving older keys during an outage. Withdrawing a leaked key takes a minute longer.
 */
export const cacheableJson = (
  cacheControl = ONE_MINUTE,
): ((request: IncomingMessage, body: object) => HttpResponse) => {
  let last: Readonly<{ json: string; etag: string; data: Buffer }> | undefined
  return (request, body) => {
    const json = JSON.stringify(body)
    if (last?.json !== json)
      last = { json, etag: `"${hash('sha256', json, 'base64url')}"`, data: Buffer.from(json) }
    const { etag, data } = last
    const headers = { 'Cache-Control': cacheControl, ETag: etag }
    return isMatch(etag, request.headers['if-none-match'])
      ? { status: 304, headers }
      : { status: 200, headers, content: { type: 'application/json; charset=utf-8', data } }
  }
}

/** RFC 9110 §13.1.2: a list of weak or strong tags, or `*`. Ours has no comma, so the split is safe. */
const isMatch = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((one) => [etag, `W/${etag}`, '*'].includes(one.trim()))

const ONE_MINUTE = 'public, max-age=60, must-revalidate'

/** The description of these responses. */
export const cacheableSuccesses = (
  description: string,
  body: Schema,
  cacheControl = ONE_MINUTE,
): ReadonlyArray<Success> => {
  const headers: Success['headers'] = {
    'Cache-Control': {
      description: 'Caches may store the response for a minute.',
      required: true,
      schema: { type: 'string', enum: [cacheControl] },
    },
    ETag: {
      description: 'For `If-None-Match`.',
      required: true,
      schema: { type: 'string', pattern: '^"[^"]+"$' },
    },
  }
  return [
    { status: 200, description, body, headers },
    { status: 304, description: '`If-None-Match` names the current `ETag`.', headers },
  ]
}
