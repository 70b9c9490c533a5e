import * as fc from 'fast-check'
import { among, anyText, bytes, place, secret } from './random-requests-arbitraries.ts'

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

type Fields = Readonly<Record<string, string | ReadonlyArray<string>>>

const membersOf = (fields: Fields): ReadonlyArray<Member> =>
  Object.entries(fields).map(
    ([name, value]): Member => [name, typeof value === 'string' ? `"${value}"` : JSON.stringify(value)],
  )

/** The valid body. */
export const rightJson = (fields: Fields): string =>
  Object.keys(fields).length === 0 ? '' : membersText(membersOf(fields))

export const jsonBody = (fields: Fields): fc.Arbitrary<string> => {
  const members = membersOf(fields)
  const right = rightJson(fields)
  const some = right === '' ? membersText([['password', '"%password%"']]) : right
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(right), weight: 5 },
    { arbitrary: oddMembers(members), weight: 3 },
    { arbitrary: fc.oneof(...oddBody(some)), weight: 2 },
  )
}
