import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Answer } from './answer.ts'
import type { Success } from './operation.ts'
import type { Schema } from './schema.ts'

/**
 * Answers what is the same for all clients and changes seldom, with the same bytes as long as it is the same. Caches may keep it for
 * a minute, and ask whether it has changed.
 *
 * A minute can do no harm. A new signing key is published `KEYS_CACHED_SECONDS` (ten minutes) before it signs. An instance knows
 * of it a second after that, clocks may differ by five, and whoever verifies may keep what a cache has given to them for eight
 * minutes more, as we say: 1 + 60 + 480 + 5 s is less than 600. `must-revalidate`, because a cache that cannot reach us might
 * keep on giving out what is too old. Of a key that leaked it is a minute more for which others may know it.
 */
export const publisher = (): ((request: IncomingMessage, body: object) => Answer) => {
  let last: Readonly<{ json: string; tag: string; data: Buffer }> | undefined
  return (request, body) => {
    const json = JSON.stringify(body)
    if (last?.json !== json)
      last = { json, tag: `"${hash('sha256', json, 'base64url')}"`, data: Buffer.from(json) }
    const { tag, data } = last
    const headers = { 'Cache-Control': FOR_A_MINUTE, ETag: tag }
    return isKnown(tag, request.headers['if-none-match'])
      ? { status: 304, headers }
      : { status: 200, headers, content: { type: 'application/json; charset=utf-8', data } }
  }
}

/** RFC 9110 §13.1.2: a list of tags, weak or strong alike, or a star for any. A comma in another tag cannot make it ours. */
const isKnown = (tag: string, known = ''): boolean =>
  known.split(',').some((one) => [tag, `W/${tag}`, '*'].includes(one.trim()))

const FOR_A_MINUTE = 'public, max-age=60, must-revalidate'

/** What is answered with it, for whoever describes it. */
export const publishedAs = (description: string, body: Schema): ReadonlyArray<Success> => {
  const headers: Success['headers'] = {
    'Cache-Control': {
      description: 'Caches may keep it for a minute.',
      required: true,
      schema: { const: FOR_A_MINUTE },
    },
    ETag: {
      description: 'For `If-None-Match`.',
      required: true,
      schema: { type: 'string', pattern: '^"[^"]+"$' },
    },
  }
  return [
    { status: 200, description, body, headers },
    { status: 304, description: 'It is what `If-None-Match` names.', headers },
  ]
}
