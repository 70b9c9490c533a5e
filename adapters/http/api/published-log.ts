import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedLog } from '../../../application/log/published-log.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import { parseTilePath } from '../../../domain/tile.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { LogNotVerifiable, NoCheckpoint, UnknownPath, UnknownTile } from '../operation/failures.ts'
import { byToken } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import type { HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { text } from '../operation/schema.ts'

type Needs = Readonly<{
  authenticate: Authenticate
  /** Undefined if the store keeps no tree. */
  publishedLog: PublishedLog | undefined
  /** Whether a key signs checkpoints. */
  hasLogKey: boolean
}>

/** The newest checkpoint of the log (C2SP tlog-checkpoint). */
export const checkpointRoute = ({ authenticate, publishedLog, hasLogKey }: Needs): Route => {
  const get = operation(
    {
      id: 'getCheckpoint',
      tag: 'Event log',
      summary: 'Get the newest checkpoint',
      details:
        'A signed note (C2SP tlog-checkpoint): the origin of the log, its number of entries and the root of their Merkle tree. Each log key signs it. Keep it: later it proves that these entries are unchanged.',
      access: byToken(authenticate, 'fetchLog'),
      successes: [
        {
          status: 200,
          description: 'The checkpoint.',
          type: 'text/plain',
          body: text('A signed note.'),
        },
      ],
      failures: ['NoCheckpoint', 'LogNotVerifiable'],
      examples: [{ summary: 'A checkpoint', status: 200, body: EXAMPLE.checkpoint }],
    },
    () =>
      pipe(
        verifiable(publishedLog),
        TE.chainW(({ checkpoint }) => checkpoint),
        TE.chainW(TE.fromOption((): NoCheckpoint => ({ _tag: 'NoCheckpoint', hasLogKey }))),
        TE.map(
          (note): HttpResponse => ({
            status: 200,
            content: { type: 'text/plain; charset=utf-8', data: note },
          }),
        ),
      ),
  )
  return { path: '/api/v1/log/checkpoint', methods: { GET: get, HEAD: get } }
}

/** The tiles of the log and the bundles of its entries (C2SP tlog-tiles). */
export const tileRoute = ({ authenticate, publishedLog }: Omit<Needs, 'hasLogKey'>): Route => {
  const get = operation(
    {
      id: 'getTile',
      tag: 'Event log',
      summary: 'Get a tile or a bundle of entries',
      details:
        'The hashes of the Merkle tree, and the entries themselves (C2SP tlog-tiles). With the checkpoint they prove that the log is unchanged. A tile never changes. A bundle with a pruned entry is gone.',
      access: byToken(authenticate, 'fetchLog'),
      pathParameter: {
        description:
          'The level of the tile or `entries`, a slash, and the index of the tile in groups of three digits. All groups but the last begin with `x`. A partial tile ends with `.p/` and its width, 1 to 255. Send slashes unescaped.',
        example: '0/000.p/1',
      },
      successes: [
        {
          status: 200,
          description: 'Hashes of 32 bytes, or entries, each after its length in two bytes (big-endian).',
          type: 'application/octet-stream',
          body: { description: 'Bytes.', contentMediaType: 'application/octet-stream' },
          headers: {
            'Cache-Control': {
              description: 'Clients may keep the tile. Shared caches must not.',
              required: true,
              schema: { type: 'string', enum: [FOR_A_YEAR] },
            },
          },
        },
      ],
      failures: ['UnknownPath', 'UnknownTile', 'BundlePruned', 'LogNotVerifiable'],
      examples: [],
    },
    ({ request }) =>
      pipe(
        TE.fromOption(unknownPath)(parseTilePath(`tile/${request.subpath()}`)),
        TE.bindTo('path'),
        TE.bindW('log', () => verifiable(publishedLog)),
        TE.chainW(({ path, log }) => log.tile(path)),
        TE.chainW(TE.fromOption((): UnknownTile => ({ _tag: 'UnknownTile' }))),
        TE.map(
          (data): HttpResponse => ({
            status: 200,
            headers: { 'Cache-Control': FOR_A_YEAR },
            content: { type: 'application/octet-stream', data },
          }),
        ),
      ),
  )
  return { path: '/api/v1/log/tile/', isPrefix: true, methods: { GET: get, HEAD: get } }
}

/** A tile never changes. Shared caches must not keep it, because it needs a token. */
const FOR_A_YEAR = 'private, max-age=31536000, immutable'

const verifiable = (log: PublishedLog | undefined): TE.TaskEither<LogNotVerifiable, PublishedLog> =>
  TE.fromOption((): LogNotVerifiable => ({ _tag: 'LogNotVerifiable' }))(O.fromNullable(log))

const unknownPath = (): UnknownPath => ({ _tag: 'UnknownPath' })
