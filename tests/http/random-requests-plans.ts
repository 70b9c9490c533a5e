import * as fc from 'fast-check'
import { FORM_TYPE } from '../support/introspection.ts'
import { among, bytes, mostly, place } from './random-requests-arbitraries.ts'
import { jsonBody, rightJson } from './random-requests-bodies.ts'
import { formBody, rightForm } from './random-requests-forms.ts'
import { headers, method, target, token, type } from './random-requests-heads.ts'
import { PAGES } from './random-requests-pages.ts'
import { VALID, type Valid } from './random-requests-valid.ts'

/**
 * A random request as plain data. `%name%` stands for a value of the running service, such as a token.
 * Text holds one byte per character, so that a plan can hold invalid UTF-8.
 */
export type Plan = Readonly<{
  method: string
  target: string
  version: string
  host: string
  token: TokenPlan
  requestId: string
  headers: ReadonlyArray<string>
  /** The value of Content-Type. */
  type: string
  body: string
  framing: Framing
  /** Positions at which the bytes are cut into separate pieces, as fractions of the whole. */
  cuts: ReadonlyArray<number>
  damage: ReadonlyArray<Damage>
}>

export type TokenPlan = Readonly<{ scheme: string; of: string; twist: Twist }>

/** Changes to a token before it is sent. Positions are fractions of its length. */
export type Twist =
  | Readonly<{ how: 'none' | 'doubled' | 'upper case' | 'without signature' }>
  | Readonly<{ how: 'flipped'; at: number; bit: number }>
  | Readonly<{ how: 'cut'; at: number }>
  | Readonly<{ how: 'insert'; at: number; text: string }>
  /** Signed again by the right key, with another claim. */
  | Readonly<{ how: 'claim'; name: string; value: unknown }>

/** Ways to frame a body. Those of the second list leave the end of the request open. */
export const CLEAR_FRAMINGS = ['length', 'chunks', 'small chunks', 'chunk extensions', 'trailers'] as const
export const AMBIGUOUS_FRAMINGS = [
  'too long',
  'too short',
  'both',
  'two lengths',
  'negative',
  'no number',
  'bad chunk',
  'no last chunk',
  'encoded',
] as const
export type Framing = (typeof CLEAR_FRAMINGS)[number] | (typeof AMBIGUOUS_FRAMINGS)[number]

/** Damage to the bytes of a whole request. Positions are fractions of its length. */
export type Damage =
  | Readonly<{ how: 'cut'; at: number }>
  | Readonly<{ how: 'drop'; at: number; length: number }>
  | Readonly<{ how: 'insert'; at: number; text: string }>
  | Readonly<{ how: 'repeat'; at: number; length: number }>

/**
 * Whether exactly one response is due, because the end of the request is clear.
 */
export const isWhole = (plan: Plan): boolean =>
  plan.damage.length === 0 && (plan.body === '' || CLEAR_FRAMINGS.some((clear) => clear === plan.framing))

/** Whether the client asks to end the connection. */
export const endsConnection = ({ version, headers }: Plan): boolean =>
  version !== 'HTTP/1.1' || headers.some((line) => /^(?:connection|expect):/i.test(line))

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ how: among('cut' as const), at: place }),
  fc.record({ how: among('drop' as const), at: place, length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    how: among('insert' as const),
    at: place,
    text: fc.oneof(bytes(4), among('\r\n', '\n', '\r', '\0', ' ', ':', '\r\n\r\n', 'GET / HTTP/1.1\r\n')),
  }),
  fc.record({ how: among('repeat' as const), at: place, length: fc.integer({ min: 1, max: 400 }) }),
)

const planOf = (valid: Valid): fc.Arbitrary<Plan> =>
  fc.record({
    method: method(valid.method),
    target: target(valid.path),
    version: mostly(
      'HTTP/1.1',
      among('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP', ''),
    ),
    host: mostly(
      'Host: service.test',
      among(
        '',
        'Host:',
        'Host: a b',
        'Host: %password%/',
        'Host: [::1]:x',
        'Host: service.test:99999999',
        'host:\t?',
      ),
    ),
    token: token(valid.token),
    requestId: mostly(
      '%id%',
      among('', 'a b', '%id%%id%%id%%id%%id%%id%%id%%id%', '"', '\xe9', '../../x', '%id%,%id%'),
    ),
    headers: fc
      .tuple(valid.headers ?? fc.constant<ReadonlyArray<string>>([]), headers)
      .map(([own, any]) => [...own, ...any]),
    type: type(valid.type ?? 'application/json'),
    body:
      valid.body ??
      (valid.type === FORM_TYPE ? formBody(valid.fields) : jsonBody({ ...valid.fields, ...valid.lists })),
    framing: mostly<Framing>(
      'length',
      fc.constantFrom(...CLEAR_FRAMINGS),
      fc.constantFrom(...CLEAR_FRAMINGS, ...AMBIGUOUS_FRAMINGS),
    ),
    cuts: mostly<ReadonlyArray<number>>([], fc.array(place, { minLength: 1, maxLength: 4 })),
    damage: mostly<ReadonlyArray<Damage>>([], fc.array(damage, { minLength: 1, maxLength: 3 })),
  })

/** How the requests of a batch travel. */
export const TRAVELS = ['apart', 'in turn', 'at once'] as const

/** Requests that are sent together, on one connection or on one each. */
export type Batch = Readonly<{ travel: (typeof TRAVELS)[number]; plans: ReadonlyArray<Plan> }>

/** Any batch of this size. */
export const batch = (size: number): fc.Arbitrary<Batch> =>
  fc.record({
    travel: fc.constantFrom(...TRAVELS),
    plans: fc.array(fc.oneof(...VALID.map(planOf)), { minLength: size, maxLength: size, size: 'max' }),
  })

/** The valid request, with nothing random. */
const exactly = ({ method, path, token, fields, lists, type }: Valid): Plan => ({
  method,
  target: path,
  version: 'HTTP/1.1',
  host: 'Host: service.test',
  token: { scheme: 'Bearer ', of: token, twist: { how: 'none' } },
  requestId: '%id%',
  headers: [],
  type: type ?? 'application/json',
  body: type === FORM_TYPE ? rightForm(fields) : rightJson({ ...fields, ...lists }),
  framing: 'length',
  cuts: [],
  damage: [],
})

/** What random requests seldom reach: success on each route, and some refusals, above all of a page. */
export const CERTAIN: ReadonlyArray<Batch> = [
  ...VALID.map(exactly),
  ...PAGES.filter(({ method }) => method === 'POST')
    .slice(0, 1)
    .map(exactly)
    .flatMap((plan) => [
      { ...plan, type: 'text/plain' },
      { ...plan, headers: ['Sec-Fetch-Site: cross-site'] },
      { ...plan, headers: [`X-Long: ${'x'.repeat(40_000)}`] },
      { ...plan, body: 'email=' },
      { ...plan, body: 'email=%zz' },
      { ...plan, body: 'x='.padEnd(40_000, 'x') },
      { ...plan, method: 'OPTIONS', body: '' },
    ]),
].map((plan) => ({ travel: 'apart', plans: [plan] }))
