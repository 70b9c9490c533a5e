import * as fc from 'fast-check'
import { FORM_TYPE } from '../support/introspection.ts'
import { among, mostly, place } from './random-requests-arbitraries.ts'
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
  token: TokenPlan
  requestId: string
  headers: ReadonlyArray<string>
  /** The value of Content-Type. */
  type: string
  body: string
  /** Positions at which the bytes are cut into separate pieces, as fractions of the whole. */
  cuts: ReadonlyArray<number>
}>

export type TokenPlan = Readonly<{ scheme: string; of: string }>

/** Whether the client asks to end the connection. */
export const endsConnection = ({ headers }: Plan): boolean =>
  headers.some((line) => /^(?:connection|expect):/i.test(line))

const planOf = (valid: Valid): fc.Arbitrary<Plan> =>
  fc.record({
    method: method(valid.method),
    target: target(valid.path),
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
    cuts: mostly<ReadonlyArray<number>>([], fc.array(place, { minLength: 1, maxLength: 4 })),
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
  token: { scheme: 'Bearer ', of: token },
  requestId: '%id%',
  headers: path.startsWith('/account') ? ['Sec-Fetch-Site: same-origin'] : [],
  type: type ?? 'application/json',
  body: type === FORM_TYPE ? rightForm(fields) : rightJson({ ...fields, ...lists }),
  cuts: [],
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
