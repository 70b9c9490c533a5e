import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { entryJson } from '../../../application/log/entry-json.ts'
import type { FeedPage, ReadFeed } from '../../../application/log/read-feed.ts'
import type { LogEntry } from '../../../application/ports/store.ts'
import { EVENT_TYPES } from '../../../application/recording/events/table.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import {
  askedWaitSeconds,
  FEED_LIMIT,
  FEED_WAIT_SECONDS,
  type FeedProblem,
  type FeedRequest,
  feedSource,
  sequenceOf,
} from '../../../domain/event-feed.ts'
import { logCursorText } from '../../../domain/log-cursor.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { FailureKind } from '../operation/failures.ts'
import { byToken } from '../operation/guards.ts'
import { type OperationSpec, operation } from '../operation/operation.ts'
import type { Codes, HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { array, constant, dateTime, object, type Schema, text, uuid } from '../operation/schema.ts'
import { readQuery } from '../request/form.ts'
import type { Request } from '../request/request.ts'

/** The event log as CloudEvents (docs/events-feed.md). */
export const eventsRoute = (
  { authenticate, readFeed }: Readonly<{ authenticate: Authenticate; readFeed: ReadFeed }>,
  urls: Urls,
): Route => {
  const access = byToken(authenticate, 'readFeed')
  const get = operation({ ...SPEC, access, waitMs }, ({ caller, context, request }) =>
    pipe(
      TE.fromEither(readQuery(request.query(), PARAMETERS)),
      TE.bindTo('asked'),
      TE.bindW('page', ({ asked }) => readFeed(context, caller, asked)),
      // The application may have been revoked meanwhile.
      TE.chainFirstW(({ page }) => (page.hasWaited ? access.callerOf(request) : TE.right(undefined))),
      TE.map(({ asked, page }) => responseOf(page, asked, urls)),
    ),
  )
  return { path: PATH, methods: { GET: get, HEAD: get } }
}

const PATH = '/api/v1/events'

/** The wait that the query asks for. The use case refuses a query that cannot be read. */
const waitMs = ({ query }: Request): number =>
  pipe(
    readQuery(query(), PARAMETERS),
    E.fold(
      () => 0,
      ({ wait }) => askedWaitSeconds(wait) * 1000,
    ),
  )

type Urls = Readonly<{ publicUrl: string; prefix: string }>

const responseOf = (page: FeedPage, asked: FeedRequest, { publicUrl, prefix }: Urls): HttpResponse => {
  const source = feedSource(publicUrl, page.epoch)
  return {
    status: 200,
    headers: { Link: `<${prefix}${PATH}?${nextQuery(page, asked)}>; rel="next"` },
    content: {
      type: `${BATCH}; charset=utf-8`,
      data: JSON.stringify(page.entries.map((entry) => cloudEvent(entry, source))),
    },
  }
}

/** The media type of a batch (CloudEvents JSON format 1.0.2 §4). */
const BATCH = 'application/cloudevents-batch+json'

/** The same parameters, except that `after` is the cursor behind this page. A colon needs no escape in a query (RFC 3986 §3.4). */
const nextQuery = ({ epoch, last }: FeedPage, asked: FeedRequest): string => {
  const others = PARAMETERS.flatMap((name) => {
    const value = asked[name]
    return name === 'after' || value === undefined || value === '' ? [] : [`${name}=${value}`]
  })
  return [`after=${logCursorText({ epoch, position: last })}`, ...others].join('&')
}

const PARAMETERS = ['after', 'limit', 'type', 'wait'] as const satisfies ReadonlyArray<keyof FeedRequest>

const cloudEvent = (entry: LogEntry, source: string): object => ({
  specversion: '1.0',
  id: entry.id,
  source,
  type: `${TYPE_PREFIX}${entry.type}`,
  subject: `${entry.subject.kind}/${entry.subject.id}`,
  time: entry.at,
  sequence: sequenceOf(entry.position),
  datacontenttype: 'application/json',
  data: entryJson(entry),
})

const TYPE_PREFIX = 'portcullis.'

const CODES: Codes<FeedProblem> = {
  CursorMalformed: {
    code: 1,
    param: 'after',
    message: 'after must be a cursor of the feed, such as 3fa81c02:1200.',
  },
  LimitOutOfRange: {
    code: 2,
    param: 'limit',
    message: `limit must be a whole number from ${FEED_LIMIT.least} to ${FEED_LIMIT.most}.`,
  },
  TypeUnknown: {
    code: 3,
    param: 'type',
    message: 'type must be a type of the event log, such as UserSignedIn.',
  },
  WaitOutOfRange: {
    code: 4,
    param: 'wait',
    message: `wait must be a whole number of seconds from ${FEED_WAIT_SECONDS.least} to ${FEED_WAIT_SECONDS.most}.`,
  },
}

const numberBetween = (bounds: Readonly<{ default: number; least: number; most: number }>) => ({
  type: 'integer' as const,
  minimum: bounds.least,
  maximum: bounds.most,
  default: bounds.default,
})

const party = (description: string, kinds: ReadonlyArray<string>): Schema =>
  object({ kind: { type: 'string', enum: [...kinds] } }, description, {
    id: text('The id; absent if it is not known.'),
  })

const ENTRY = object(
  {
    position: {
      type: 'integer',
      minimum: 1,
      description: '1, 2, 3 … without gaps, except for pruned entries.',
    },
    id: uuid('The id of the event.'),
    type: { type: 'string', enum: [...EVENT_TYPES] },
    version: { type: 'integer', minimum: 1, description: "The version of this type's fields." },
    at: dateTime('When it happened.'),
    subject: party('What the event is about.', ['application', 'user', 'key', 'service']),
    actor: party('Who caused the event.', ['application', 'user', 'operator', 'nobody']),
    data: { type: 'object', additionalProperties: true, description: 'The fields of this type.' },
  },
  'The entry, as `portcullis events list --json` prints it.',
  { request_id: text('The id of the request; absent if there was none.') },
)

const EVENT = object(
  {
    specversion: constant('1.0'),
    id: uuid('The id of the event.'),
    source: text('The URL of the log, with its epoch at the end.', { format: 'uri' }),
    type: text('`portcullis.` and the type of the entry.', { pattern: `^${TYPE_PREFIX}[A-Za-z]+$` }),
    subject: text('The kind and the id of what the event is about.', { pattern: '^[a-z]+/.' }),
    time: dateTime('When it happened.'),
    sequence: text('The position in the log, with leading zeros.', { pattern: '^[0-9]{15}$' }),
    datacontenttype: constant('application/json'),
    data: ENTRY,
  },
  'A CloudEvent.',
)

const EXAMPLE_EVENT = {
  specversion: '1.0',
  id: EXAMPLE.eventId,
  source: EXAMPLE.logSource,
  type: 'portcullis.UserSignedIn',
  subject: EXAMPLE.eventSubject,
  time: EXAMPLE.createdAt,
  sequence: EXAMPLE.sequence,
  datacontenttype: 'application/json',
  data: {
    position: EXAMPLE.position,
    id: EXAMPLE.eventId,
    type: 'UserSignedIn',
    version: 1,
    at: EXAMPLE.createdAt,
    subject: { kind: 'user', id: EXAMPLE.userId },
    actor: { kind: 'application', id: EXAMPLE.applicationId },
    request_id: EXAMPLE.requestId,
    data: {
      session_id: EXAMPLE.sessionId,
      expires_at: EXAMPLE.expiresAt,
      ends_at: EXAMPLE.endsAt,
      amr: ['pwd'],
    },
  },
}

const SPEC = {
  id: 'readFeed',
  tag: 'Events',
  summary: 'Read the event log',
  details:
    'Returns events in the order of the log, as a batch of CloudEvents 1.0. The `Link` header leads to the next page, which may be empty at first. With `wait`, the server waits for the first event. Per answer it covers at most 10,000 positions of the log, so a page with a `type` may be empty before the end.',
  query: {
    after: {
      description:
        'The cursor `EPOCH:POSITION` of a `Link`. Without it, the feed begins with the first event.',
      schema: { type: 'string', pattern: '^([0-9a-f]{8}:)?[0-9]{1,15}$' },
    },
    limit: { description: 'How many events the page has at most.', schema: numberBetween(FEED_LIMIT) },
    type: { description: 'Only events of this type.', schema: { type: 'string', enum: [...EVENT_TYPES] } },
    wait: {
      description: 'How many seconds the server waits, if there is no event yet.',
      schema: numberBetween(FEED_WAIT_SECONDS),
    },
  },
  successes: [
    {
      status: 200,
      description: 'A page of events. It is empty if there are none yet.',
      type: BATCH,
      body: array(EVENT, 'In the order of the log.'),
      headers: {
        Link: {
          description: 'The next page, as `<…>; rel="next"`. The URL is relative to that of the request.',
          required: true,
          schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
        },
      },
    },
  ],
  codes: CODES,
  failures: ['OtherEpoch', 'BeyondEnd', 'EntriesPruned', 'Overloaded'],
  examples: [
    {
      summary: 'The first sign-in',
      fields: { type: 'UserSignedIn', limit: '1' },
      status: 200,
      body: [EXAMPLE_EVENT],
    },
    {
      summary: 'Parameters out of range',
      fields: { after: 'yesterday', limit: '1000', type: 'SignedIn', wait: '60' },
      problems: ['CursorMalformed', 'LimitOutOfRange', 'TypeUnknown', 'WaitOutOfRange'],
    },
  ],
} as const satisfies Omit<OperationSpec<FailureKind, FeedProblem>, 'access'>
