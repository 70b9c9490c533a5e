import { forgeJwt, jwtHeader } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  onUserJwts,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)

/**
 * Types under which the key did not sign. RFC 7515 §4.1.9 allows omitting `application/` and any case. The service
 * writes one spelling, so each token has one spelling.
 */
const TYPES: ReadonlyArray<unknown> = [
  ...['JWT', 'jwt', 'AT+JWT', 'At+Jwt', 'application/at+jwt', 'application/jwt', 'at', 'at+jwt ', ' at+jwt'],
  ...[
    'at+jwt; charset=utf-8',
    'at+jwt\0',
    'at\u200b+jwt',
    'secevent+jwt',
    'dpop+jwt',
    'logout+jwt',
    'id_token',
  ],
  ...['JOSE', 'JOSE+JSON', '', null, true, 0, ['at+jwt'], { typ: 'at+jwt' }],
]

/** Headers of other profiles: critical extensions, and members that are extra, duplicated or misplaced. */
const HEADERS: ReadonlyArray<
  readonly [what: string, header: (header: ReturnType<typeof jwtHeader>) => string]
> = [
  ['no typ', ({ typ: _, ...header }) => JSON.stringify(header)],
  ['its typ as a cty', ({ typ, ...header }) => JSON.stringify({ ...header, cty: typ })],
  ['an additional cty', (header) => JSON.stringify({ ...header, cty: 'JWT' })],
  ['an empty crit', (header) => JSON.stringify({ ...header, crit: [] })],
  ['crit with a standard member', (header) => JSON.stringify({ ...header, crit: ['typ'] })],
  ['crit with a missing member', (header) => JSON.stringify({ ...header, crit: ['exp'] })],
  ['crit with a member that exists', (header) => JSON.stringify({ ...header, exp: 1, crit: ['exp'] })],
  ['crit that is not a list', (header) => JSON.stringify({ ...header, crit: 'exp' })],
  ['b64', (header) => JSON.stringify({ ...header, b64: true })],
  ['a critical b64', (header) => JSON.stringify({ ...header, b64: true, crit: ['b64'] })],
  ['another member', (header) => JSON.stringify({ ...header, more: 1 })],
  ['claims in it', (header) => JSON.stringify({ ...header, iss: 'http://service.test' })],
  ['alg twice, the correct one last', (header) => JSON.stringify(header).replace('{', '{"alg":"none",')],
  ['alg twice, the correct one first', (header) => JSON.stringify(header).replace('}', ',"alg":"none"}')],
  ['the same alg twice', (header) => JSON.stringify(header).replace('{', '{"alg":"EdDSA",')],
  ['kid twice', (header) => JSON.stringify(header).replace('}', ',"kid":"attacker"}')],
  ['typ twice', (header) => JSON.stringify(header).replace('{', '{"typ":"JWT",')],
  ['an additional ALG', (header) => JSON.stringify({ ALG: 'none', ...header })],
  ['its members in another order', ({ alg, typ, kid }) => JSON.stringify({ kid, typ, alg })],
  ['a space in it', (header) => JSON.stringify(header).replace(':', ': ')],
  ['a trailing space', (header) => `${JSON.stringify(header)} `],
  ['line feeds in it', (header) => JSON.stringify(header, undefined, 2)],
  ['a byte order mark', (header) => `\ufeff${JSON.stringify(header)}`],
  ['an escape in it', (header) => JSON.stringify(header).replace('EdDSA', '\\u0045dDSA')],
  ['an escape in a name', (header) => JSON.stringify(header).replace('"alg"', '"\\u0061lg"')],
  ['a prototype', (header) => JSON.stringify(header).replace('{', '{"__proto__":{"alg":"none"},')],
  ['the header in a list', (header) => JSON.stringify([header])],
  ['the header as a text', (header) => JSON.stringify(JSON.stringify(header))],
  ['nothing in it', () => ''],
  ['an empty object', () => '{}'],
  ['null', () => 'null'],
  ['a list', () => '[]'],
]

const UNEXPECTED: ReadonlyArray<Attack> = [
  ...TYPES.map(
    (typ): Attack => [
      `typ ${JSON.stringify(typ)}`,
      (t) =>
        forgeJwt(t.keys.application, claimsOf(t), JSON.stringify({ ...jwtHeader(t.keys.application), typ })),
    ],
  ),
  ...HEADERS.map(
    ([what, header]): Attack => [
      `a header with ${what}`,
      (t) => forgeJwt(t.keys.application, claimsOf(t), header(jwtHeader(t.keys.application))),
    ],
  ),
]

describe('RFC 8725 §3.11 Use Explicit Typing (against §2.8): signed by our key, under', () => {
  const target = underAttack()

  refusesForged(target, UNEXPECTED)
  refusesForged(target, onUserJwts(UNEXPECTED))

  it('accepts typ at+jwt, which all tokens that are a JWT have', async () => {
    const t = target()
    await expectAccepted(t, 'user_jwt', forgeJwt(t.keys.user_jwt, JSON.stringify(t.user_jwt.claims)))
    await expectAccepted(t, 'application', forgeJwt(t.keys.application, claimsOf(t)))
  })
})
