import { METHODS } from 'node:http'
import * as fc from 'fast-check'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { METADATA, REVOKE, TOKEN } from '../support/oauth.ts'
import { formBody } from './random-requests-forms.ts'
import { PAGES } from './random-requests-pages.ts'

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

export type Valid = Readonly<{
  method: string
  path: string
  token: string
  fields: Readonly<Record<string, string>>
  /** Of the body; JSON by default. */
  type?: typeof FORM_TYPE
  /** Instead of the random bodies of this type. */
  body?: fc.Arbitrary<string>
  /** Beside the random headers. */
  headers?: fc.Arbitrary<ReadonlyArray<string>>
}>

const SIGN_IN = { email: '%email%', password: '%password%' }
const CHANGE = {
  old_password: '%password%',
  new_password: '%newPassword%',
  new_password_check: '%newPassword%',
}

/** One valid request for every route and method, and for every page for people. */
export const VALID: ReadonlyArray<Valid> = [
  ...PAGES,
  {
    method: 'POST',
    path: '/api/v1/auth/application/token',
    token: '',
    fields: { public_api_key: '%publicKey%', private_api_key: '%privateKey%' },
  },
  { method: 'POST', path: '/api/v1/auth/user/token', token: 'application', fields: SIGN_IN },
  { method: 'DELETE', path: '/api/v1/auth/user/token', token: 'user', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/users',
    token: 'application',
    fields: { email: '%newEmail%', password: '%newPassword%' },
  },
  { method: 'POST', path: '/api/v1/users/recovery', token: 'desk', fields: { email: '%email%' } },
  {
    method: 'POST',
    path: '/api/v1/users/recovery/complete',
    token: '',
    fields: {
      token: '%recovery%',
      new_password: '%newPassword%',
      new_password_check: '%newPassword%',
    },
  },
  {
    method: 'POST',
    path: '/api/v1/users/email_confirmation',
    token: 'desk',
    fields: { user_id: '%userId%', email: '%email%' },
  },
  {
    method: 'POST',
    path: '/api/v1/users/email_confirmation/complete',
    token: '',
    fields: { token: '%confirmation%' },
  },
  { method: 'GET', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'HEAD', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'POST', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'GET', path: '/api/v1/profile/change_password', token: 'user', fields: CHANGE },
  { method: 'POST', path: '/api/v1/profile/change_password', token: 'user', fields: CHANGE },
  { method: 'GET', path: '/api/v1/profile/sessions', token: 'user', fields: {} },
  { method: 'HEAD', path: '/api/v1/profile/sessions', token: 'user', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/profile/sessions/end',
    token: 'user',
    fields: { session_id: '%session%' },
  },
  { method: 'POST', path: '/api/v1/profile/sessions/end_others', token: 'user', fields: {} },
  { method: 'POST', path: '/api/v1/profile/remove', token: 'user', fields: { password: '%password%' } },
  {
    method: 'POST',
    path: '/api/v1/users/search',
    token: 'administrator',
    fields: { email: '%email%', status: 'enabled' },
  },
  { method: 'POST', path: '/api/v1/users/disable', token: 'administrator', fields: { user_id: '%userId%' } },
  { method: 'POST', path: '/api/v1/users/enable', token: 'administrator', fields: { user_id: '%userId%' } },
  { method: 'POST', path: '/api/v1/users/remove', token: 'administrator', fields: { user_id: '%userId%' } },
  {
    method: 'POST',
    path: '/api/v1/users/end_sessions',
    token: 'administrator',
    fields: { user_id: '%userId%' },
  },
  { method: 'GET', path: '/.well-known/jwks.json', token: '', fields: {} },
  { method: 'GET', path: '/.well-known/paseto-keys.json', token: '', fields: {} },
  {
    method: 'POST',
    path: INTROSPECT,
    token: 'introspectOnly',
    fields: { token: '%user%', token_type_hint: 'access_token' },
    type: FORM_TYPE,
  },
  { method: 'GET', path: '/openapi.json', token: '', fields: {} },
  {
    method: 'POST',
    path: TOKEN,
    token: '',
    fields: {
      grant_type: 'client_credentials',
      client_id: '%publicKey%',
      client_secret: '%privateKey%',
      scope: 'users:sign_in',
    },
    type: FORM_TYPE,
  },
  // The keys belong to an application without a token, so that no request invalidates another one.
  {
    method: 'POST',
    path: REVOKE,
    token: '',
    fields: {
      client_id: '%tokenlessPublicKey%',
      client_secret: '%tokenlessPrivateKey%',
      token: '%user%',
      token_type_hint: 'access_token',
    },
    type: FORM_TYPE,
  },
  { method: 'GET', path: METADATA, token: '', fields: {} },
  { method: 'GET', path: '/docs', token: '', fields: {} },
  { method: 'GET', path: '/healthz', token: '', fields: {} },
  { method: 'GET', path: '/readyz', token: '', fields: {} },
  { method: 'GET', path: '/metrics', token: '', fields: {} },
]

/** Mostly the right value, so that a request has few errors and gets far. Shrinks to the right value. */
const mostly = <T>(right: T, ...odd: ReadonlyArray<fc.Arbitrary<T>>): fc.Arbitrary<T> =>
  fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(right), weight: 9 },
    { arbitrary: fc.oneof(...odd), weight: 1 },
  )

const among = <const T>(...all: ReadonlyArray<T>): fc.Arbitrary<T> => fc.constantFrom(...all)

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

/** Any bytes at all. */
const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((all) => Buffer.from(all).toString('latin1'))

/** Any bytes except line ends, so that they do not decide where a request ends. */
const lineBytes = (maxLength: number): fc.Arbitrary<string> =>
  bytes(maxLength).map((any) => any.replaceAll(/[\r\n]/g, '!'))

/** Any UTF-16, including lone surrogates and U+0000. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.nat(0x7f), among(0, 0xd800, 0xdfff, 0xfeff, 0x2028)), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units))

/** A secret sent where it does not belong. */
const secret = among(
  '%password%',
  '%email%',
  '%privateKey%',
  '%user%',
  '%application%',
  '%recovery%',
  '%confirmation%',
  '%record%',
  '%email%:%password%',
)

const target = (path: string): fc.Arbitrary<string> =>
  mostly(
    path,
    among(
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      path.slice(0, -1),
      path.replace('p', '%70'),
      path.replaceAll('/', '%2F'),
      `${path}%00`,
      `${path}%`,
      `${path}%zz`,
      `${path}%C0%AF`,
      `${path};x=y`,
      `${path}#x`,
      `${path}/../healthz`,
      `/api/./v1${path}`,
      `http://elsewhere.test${path}`,
      `https://%email%@elsewhere.test:99${path}?x`,
      `//elsewhere.test${path}`,
      path.replaceAll('/', '\\'),
      `${path} `,
      `${path}\t`,
      `${path}\0`,
      `${path}\xe9\xff`,
      '*',
      '',
      '/',
      '/constructor',
      '/__proto__',
      'elsewhere.test:443',
      'javascript:alert(1)',
    ),
    fc
      .tuple(among('?', '?x=', '/', '?password=', '?access_token='), secret)
      .map((all) => path + all.join('')),
    fc.webQueryParameters().map((query) => `${path}?${query}`),
    fc.webPath().map((any) => (any === '' ? '/' : any)),
    fc.nat(20_000).map((length) => `${path}?${'x'.repeat(length)}`),
    lineBytes(20).map((any) => `/${any}`),
  )

const method = (right: string): fc.Arbitrary<string> =>
  mostly(
    right,
    fc.constantFrom(...METHODS),
    among('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    among('CONNECT', 'TRACE', 'BREW', 'get', '', 'GET\0', 'PRI', '%password%', '\xff', 'M'.repeat(5_000)),
  )

const twist: fc.Arbitrary<Twist> = fc.oneof(
  among<Twist>({ how: 'doubled' }, { how: 'upper case' }, { how: 'without signature' }),
  fc.record({ how: among('flipped' as const), at: place, bit: fc.nat(7) }),
  fc.record({ how: among('cut' as const), at: place }),
  fc.record({
    how: among('insert' as const),
    at: place,
    text: fc.oneof(lineBytes(3), among('.', '=', '%20', ' ')),
  }),
  fc.record({
    how: among('claim' as const),
    name: among('iss', 'sub', 'sid', 'client_id', 'aud', 'iat', 'exp', 'jti', 'scope', 'nbf', '__proto__'),
    value: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      anyText,
      fc.constantFrom<unknown>(0, -1, 1e300, '9999-12-31T23:59:59Z'),
    ),
  }),
)

const NO_TWIST: Twist = { how: 'none' }

const token = (right: string): fc.Arbitrary<TokenPlan> =>
  mostly<TokenPlan>(
    { scheme: 'Bearer ', of: right, twist: NO_TWIST },
    fc.record({
      scheme: fc.constant('Bearer '),
      of: among(
        'application',
        'user',
        'signInOnly',
        'registerOnly',
        'introspectOnly',
        'administrator',
        'ended',
      ),
      twist: fc.constant(NO_TWIST),
    }),
    fc.record({
      scheme: fc.constant('Bearer '),
      of: among('application', 'user'),
      twist,
    }),
    fc.record({
      scheme: among('Bearer ', 'bearer   ', 'BEARER ', 'Bearer', 'Bearer\t', 'Basic ', 'DPoP ', ' ', ''),
      of: among(
        'application',
        'user',
        'signInOnly',
        'registerOnly',
        'introspectOnly',
        'administrator',
        'ended',
        'unsigned',
        'local',
        'stranger',
        '',
      ),
      twist: mostly(NO_TWIST, twist),
    }),
    fc.record({
      scheme: fc.constant('Bearer '),
      of: among('privateKey', 'publicKey', 'password', 'record', 'email', 'huge', 'dots'),
      twist: fc.constant(NO_TWIST),
    }),
  )

const type = (right: string): fc.Arbitrary<string> =>
  mostly(
    right,
    among(
      '',
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json; charset=',
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; __proto__=x',
      'application/json;;;',
      'application/json, text/plain',
      'application/vnd.api+json',
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded; charset=utf-8',
      'application/x-www-form-urlencoded; charset=latin1',
      'multipart/form-data; boundary=x',
      'text/plain',
      '*/*',
      '/',
      'json',
      `application/json; x="${'\\"'.repeat(500)}"`,
      `application/json${'; a=b'.repeat(500)}`,
    ),
    secret,
    lineBytes(12),
  )

const ODD_HEADERS: ReadonlyArray<string> = [
  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'Content-Encoding: br, gzip',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Authorization: Bearer %user%',
  'Authorization: Basic JXBhc3N3b3JkJQ==',
  'Host: elsewhere.test',
  'X-Request-Id: twice',
  'Expect: 100-continue',
  'Expect: %password%',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Connection: Authorization, Content-Length',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'Keep-Alive: timeout=0, max=0',
  'Proxy-Authorization: Bearer %user%',
  'Cookie: token=%user%; password=%password%',
  'Referer: https://%email%:%password%@elsewhere.test/?%user%',
  'User-Agent: %password%',
  'Origin: https://elsewhere.test',
  'Sec-Fetch-Site: cross-site',
  'Access-Control-Request-Method: POST',
  'X-HTTP-Method-Override: DELETE',
  'X-Forwarded-For: %email%, %password%',
  'X-Forwarded-Host: elsewhere.test',
  'X-End-User-Address: 192.0.2.1',
  'X-End-User-Address: 2001:db8::1',
  'X-End-User-Address: %password%',
  'X-Forwarded-Prefix: /%password%',
  'Forwarded: for="%email%"',
  'X-Original-URL: /healthz',
  'Accept: text/html',
  'Accept-Encoding: gzip',
  'Accept-Charset: utf-16',
  'Accept-Language: %password%',
  'Range: bytes=0-3',
  'If-None-Match: *',
  'If-Modified-Since: %password%',
  'TE: trailers, gzip;q=0.5',
  'Trailer: Authorization',
  'Max-Forwards: 0',
  '__proto__: %password%',
  'constructor: x',
  '%email%: %password%',
  'X: \0',
  'X: \x7f',
  'X: \xff',
  'X : y',
  ': y',
  'no colon',
  ' folded: %password%',
  'X: a\rb',
  'X: a\nY: b',
  `X: ${'%password%'.repeat(200)}`,
  `X: ${'y'.repeat(17_000)}`,
]

const headers: fc.Arbitrary<ReadonlyArray<string>> = mostly<ReadonlyArray<string>>(
  [],
  fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 3 }),
  fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 3 }),
  lineBytes(8).map((any) => [`X-Any: ${any}`]),
  fc.integer({ min: 95, max: 130 }).map((count) => Array<string>(count).fill('X: y')),
)

/** An unexpected JSON value for a text field. `own` is the right value. */
const oddValue = (own: string): fc.Arbitrary<string> =>
  fc.oneof(
    among(
      ...['null', 'true', '0', '-0', '1e999', '-1E-999', '1'.repeat(400), '0.1e', '[]', '{}', '""', '" "'],
      ...['"__proto__"', '"constructor"', '"toString"', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\0"'],
    ),
    among(
      `["${own}"]`,
      `{"0":"${own}","length":1}`,
      `{"toString":"${own}","__proto__":{"length":9}}`,
      `"${own}\\u0000"`,
      `"\\u0000${own}"`,
      `"${own} "`,
      `"${own}\\ud800"`,
      `"${own}\xed\xa0\x80"`,
      `"${own}\xc3\x28"`,
      `"${own}\xf0\x9f\x92\xa9"`,
      `"e\xcc\x81\xef\xbb\xbf${own}"`,
      `"${own}\n"`,
      `"${own}`,
      `"\\x${own}"`,
      `'${own}'`,
      `${own}`,
    ),
    secret.map((other) => `"${other}"`),
    fc.jsonValue({ maxDepth: 3 }).map((any) => utf8(JSON.stringify(any))),
    anyText.map((any) => JSON.stringify(any).replaceAll('%', '')).map(utf8),
    fc.nat(20_000).map((length) => `"${own}${'x'.repeat(length)}"`),
    fc.nat(5_000).map((length) => `"${own}${'\xf0\x9f\x92\xa9'.repeat(length)}"`),
    fc.nat(20_000).map((digits) => '9'.repeat(digits + 1)),
  )

const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

type Member = readonly [name: string, value: string]

const membersText = (members: ReadonlyArray<Member>): string =>
  `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'email',
  'password',
  'old_password',
  '',
  'x',
  '\xff',
]

/** The members of a body, some of them dropped, changed or repeated, with others among them. */
const oddMembers = (right: ReadonlyArray<Member>): fc.Arbitrary<string> => {
  const own = right.map(([name, value]) =>
    fc.oneof(
      { withCrossShrink: true },
      fc.constant<ReadonlyArray<Member>>([[name, value]]),
      fc.constant<ReadonlyArray<Member>>([]),
      oddValue(value.slice(1, -1)).map((odd): ReadonlyArray<Member> => [[name, odd]]),
      oddValue(value.slice(1, -1)).map(
        (odd): ReadonlyArray<Member> => [
          [name, odd],
          [name, value],
        ],
      ),
      among<ReadonlyArray<Member>>([[name.toUpperCase(), value]], [[`${name}\\u0000`, value]]),
    ),
  )
  const others = fc.array(
    fc
      .tuple(fc.constantFrom(...NAMES), oddValue('%password%'))
      .map((member): ReadonlyArray<Member> => [member]),
    { maxLength: 2 },
  )
  return fc.tuple(others, ...own).map(([first, ...rest]) => membersText([...first.flat(), ...rest.flat()]))
}

const SPACES = [' ', '\t', '\n', '\r', '\x0b', '\xa0', '\0']

/** Values other than the right JSON object. */
const oddBody = (right: string): ReadonlyArray<fc.Arbitrary<string>> => [
  among(
    '',
    '{',
    '}',
    '[]',
    'null',
    '""',
    '0',
    '[{}]',
    `[${right}]`,
    `${right}${right}`,
    `${right},`,
    `${right}\0`,
    `\xef\xbb\xbf${right}`,
    `\xff\xfe${right.replaceAll(/./g, '$&\0')}`,
    right.replaceAll('"', "'"),
    right.replaceAll('"', '\\"'),
    right.replace('}', ',}'),
    `/* */${right}`,
    `{"__proto__":${right}}`,
    `{"constructor":{"prototype":${right}}}`,
    'email=%email%&password=%password%',
    '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n%password%\r\n--x--\r\n',
    '<password>%password%</password>',
    'NaN',
    '-',
    '"\\ud800"',
  ),
  place.map((at) => right.slice(0, Math.floor(right.length * at))),
  fc.tuple(place, bytes(3)).map(([at, any]) => {
    const index = Math.floor(right.length * at)
    return right.slice(0, index) + any + right.slice(index)
  }),
  fc
    .tuple(fc.nat(40), among('[', '{"x":'))
    .map(
      ([depth, open]) =>
        `{"x":${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)},${right.slice(1)}`,
    ),
  fc.integer({ min: 5_000, max: 16_000 }).map((depth) => '['.repeat(depth)),
  fc.tuple(fc.nat(20_000), fc.constantFrom(...SPACES)).map(([count, space]) => space.repeat(count) + right),
  fc.integer({ min: 16_000, max: 17_000 }).map((length) => right.padEnd(length)),
  fc.integer({ min: 17_000, max: 200_000 }).map((length) => right.padEnd(length, '%password%')),
  bytes(200),
]

const jsonBody = (fields: Valid['fields']): fc.Arbitrary<string> => {
  const members = Object.entries(fields).map(([name, value]): Member => [name, `"${value}"`])
  const right = members.length === 0 ? '' : membersText(members)
  const some = right === '' ? membersText([['password', '"%password%"']]) : right
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(right), weight: 5 },
    { arbitrary: oddMembers(members), weight: 3 },
    { arbitrary: fc.oneof(...oddBody(some)), weight: 2 },
  )
}

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
    body: valid.body ?? (valid.type === FORM_TYPE ? formBody(valid.fields) : jsonBody(valid.fields)),
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
