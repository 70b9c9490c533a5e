import { left, right } from 'fp-ts/lib/Either.js'
import { map, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { FilesUnavailable, LogFiles } from '../../../application/ports/log-files.ts'
import { MAX_ENTRY_BYTES, TILE_WIDTH } from '../../../domain/tile.ts'

/**
 * The files of a log that a web server publishes: an export, or the routes below `/api/v1/log` of a service.
 *
 * @param base the URL of the folder that contains `checkpoint`
 * @param token a bearer token, if the server needs one
 */
export const logAtUrl = (base: string, token?: string): LogFiles => {
  const read =
    (path: string): TE.TaskEither<FilesUnavailable, Option<Uint8Array>> =>
    async () => {
      try {
        const response = await fetch(`${base.replace(/\/+$/, '')}/${path}`, {
          headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
          redirect: 'error', // it would get the token too
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (response.ok) return right(some(await contentOf(response)))
        await response.body?.cancel()
        return MISSING.has(response.status) ? right(none) : unavailable(path, `status ${response.status}`)
      } catch (error) {
        return unavailable(path, reasonOf(error))
      }
    }
  return {
    read,
    readCheckpoint: () =>
      TE.map(map((bytes: Uint8Array) => Buffer.from(bytes).toString()))(read('checkpoint')),
  }
}

const contentOf = async (response: Response): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const unavailable = (path: string, reason: string) =>
  left<FilesUnavailable>({ _tag: 'FilesUnavailable', reason: `${path}: ${reason}` })

/** `fetch` hides the reason in the cause. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = Object(error) as {
    cause?: { code?: unknown; message?: unknown }
    message?: unknown
  }
  return String(cause?.code ?? cause?.message ?? message)
}

const MISSING: ReadonlySet<number> = new Set([404, 410])

/** The longest entry bundle. */
const MAX_BYTES = TILE_WIDTH * (2 + MAX_ENTRY_BYTES)

const TIMEOUT_MS = 10_000
