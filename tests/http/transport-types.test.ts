import { expect } from 'chai'
import { expectHeaders, expectRefusal, ISSUE, lines, NOT_JSON, talk } from './transport-talk.ts'

const NO_TYPE = 'The body must be application/json in UTF-8.'
const ENCODED = 'The body must not have a Content-Encoding.'

/** Routes with fields, and the kind of token they require. All types are tried on the first, and some on all. */
const WITH_FIELDS = [
  ['POST', ISSUE, ''],
  ['POST', '/api/v1/auth/user/token', 'application'],
  ['POST', '/api/v1/users', 'application'],
  ['POST', '/api/v1/profile/change_password', 'user'],
  ['GET', '/api/v1/profile/change_password', 'user'],
  ['POST', '/api/v1/profile/sessions/end', 'user'],
  ['POST', '/api/v1/profile/step_up', 'user'],
  ['POST', '/api/v1/profile/factors/rename', 'user'],
  ['POST', '/api/v1/profile/factors/remove', 'user'],
  ['POST', '/api/v1/profile/remove', 'user'],
] as const

/** Routes that ignore the body. */
const WITHOUT_FIELDS = [
  ['GET', '/api/v1/profile', 'user'],
  ['POST', '/api/v1/profile', 'user'],
  ['GET', '/api/v1/profile/sessions', 'user'],
  ['POST', '/api/v1/profile/sessions/end_others', 'user'],
  ['GET', '/api/v1/profile/factors', 'user'],
  ['GET', '/.well-known/jwks.json', ''],
  ['GET', '/api/v1/password_policy', ''],
  ['GET', '/.well-known/paseto-keys.json', ''],
  ['GET', '/.well-known/user-jwks.json', ''],
  ['GET', '/.well-known/oauth-authorization-server', ''],
  ['GET', '/healthz', ''],
  ['GET', '/readyz', ''],
] as const

const ACCEPTED: ReadonlyArray<string> = [
  'application/json',
  'APPLICATION/JSON',
  'Application/Json',
  '  application/json  ',
  'application/json;',
  'application/json ;',
  'application/json;;;',
  'application/json; charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset=Utf-8',
  'application/json; CHARSET=utf-8',
  'application/json;charset=utf-8',
  'application/json\t;\tcharset=utf-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8',
  'application/json; charset="utf8"',
  'application/json; charset=us-ascii',
  'application/json; charset="ut\\f-8"',
  'application/json;;;charset=utf-8;',
  'application/json; a=b; charset=utf-8; c=d',
  'application/json; version=1',
  'application/json; a="; charset=latin1"',
  'application/json; a="\\"; charset=latin1"',
  'application/json; profile="https://service.test/x"',
  'application/json; __proto__=a; constructor=b; toString=c',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; charset=utf-8; charset=UTF-8',
  "application/json; charset*=utf-8''latin1",
  `application/json${'; a=b'.repeat(2_000)}`,
  `application/json; a="${'\\"'.repeat(5_000)}"`,
  `application/json${' '.repeat(10_000)}`,
  `application/json${' '.repeat(10_000)};`,
]

const REFUSED: ReadonlyArray<string> = [
  '',
  'application/json5',
  'application/jsonp',
  'application/json-seq',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/problem+json',
  'application/ld+json',
  'application/vnd.api+json',
  'application/x-json',
  'application/x-ndjson',
  'application/javascript',
  'application/jwt',
  'application/xml',
  'application/cbor',
  'application/grpc',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=application/json',
  'multipart/mixed; boundary=x',
  'message/http',
  'text/json',
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain;application/json',
  'text/plain; a=application/json',
  'text/html',
  'text/javascript',
  'image/png',
  '*/*',
  '*',
  'application/*',
  'json',
  'application',
  'application/',
  '/json',
  '/',
  'application//json',
  'application/json/',
  'application /json',
  'application/ json',
  'application/json x',
  'application/json, application/json',
  'application/json, text/plain',
  'text/plain, application/json',
  'application/json,',
  ',application/json',
  ';application/json',
  'application/json; charset=utf-8, text/plain',
  '"application/json"',
  '<application/json>',
  'null',
  'undefined',
  '__proto__',
  '\xe9',
  'application/json\xa0',
  '\xef\xbb\xbfapplication/json',
  'application/json; charset=',
  'application/json; charset=""',
  "application/json; charset='utf-8'",
  'application/json; charset=utf-8"',
  'application/json; charset=utf-7',
  'application/json; charset=utf-16',
  'application/json; charset=utf-16le',
  'application/json; charset=utf-32',
  'application/json; charset=ucs-2',
  'application/json; charset=ISO-8859-1',
  'application/json; charset=latin1',
  'application/json; charset=windows-1252',
  'application/json; charset=shift_jis',
  'application/json; charset=gb18030',
  'application/json; charset=x-user-defined',
  'application/json; charset=binary',
  'application/json; charset=__proto__',
  'application/json; charset=latin1; charset=utf-8',
  'application/json; charset=utf-8; charset=latin1',
  'application/json; charset=UTF-8; charset=latin1',
  'application/json; charset=utf-8; charset=""',
  // No valid media type (RFC 9110 §8.3.1).
  'application/json; charset',
  'application/json; a',
  'application/json; =a',
  'application/json; a=',
  'application/json; a =b',
  'application/json; a= b',
  'application/json; a=b c',
  'application/json; a="b"c',
  'application/json;x="',
  'application/json;x="\\',
  'application/json;x="\\"',
  'application/json;x="y',
  'application/json;x="y; charset=utf-8',
  `application/json${' ;'.repeat(5_000)}x`,
  `application/json;${' '.repeat(10_000)}x`,
  `application/json; a=b${' '.repeat(10_000)}x`,
  `application/json; a="${'\\"'.repeat(5_000)}`,
  `application/json${'\t '.repeat(5_000)}x`,
  `${'a'.repeat(5_000)}/${'b'.repeat(5_000)}`,
]

describe('the type of a body', () => {
  const { running, answerTo } = talk()
  let tokens: Readonly<Record<'application' | 'user' | '', string>>
  before(async () => {
    tokens = { application: await running().applicationToken(), user: await running().userToken(), '': '' }
  })

  const send = (
    [method, path, token]: (typeof WITH_FIELDS | typeof WITHOUT_FIELDS)[number],
    headers: ReadonlyArray<string>,
    body: string,
  ) => {
    const authorization = token === '' ? [] : [`Authorization: Bearer ${tokens[token]}`]
    const length = `Content-Length: ${body.length}`
    return answerTo(
      lines(`${method} ${path} HTTP/1.1`, 'Host: service.test', ...authorization, ...headers, length) + body,
    )
  }

  const expectAccepted = async (route: (typeof WITH_FIELDS)[number], type: string) =>
    expectRefusal(await send(route, [`Content-Type: ${type}`], '{'), 400, NOT_JSON)
  const expectRefused = async (route: (typeof WITH_FIELDS)[number], type: string) => {
    const answer = await send(route, [`Content-Type: ${type}`], '{')
    expectRefusal(answer, 415, NO_TYPE)
    expect(answer.headers.accept).to.equal('application/json')
  }

  for (const type of ACCEPTED) {
    it(`may be ${JSON.stringify(type.slice(0, 60))}`, () => expectAccepted(WITH_FIELDS[0], type))
  }

  for (const type of REFUSED) {
    it(`of ${JSON.stringify(type.slice(0, 60))} is 415`, () => expectRefused(WITH_FIELDS[0], type))
  }

  for (const route of WITH_FIELDS) {
    it(`is checked on ${route[0]} ${route[1]}`, async () => {
      for (const type of ACCEPTED.slice(0, 10)) await expectAccepted(route, type)
      for (const type of REFUSED.slice(0, 25)) await expectRefused(route, type)
    })
  }

  it('is required on a route with fields: 415', async () => {
    for (const route of WITH_FIELDS) expectRefusal(await send(route, [], '{'), 415, NO_TYPE)
  })

  it('is ignored without a body and on routes without fields', async () => {
    for (const type of [...ACCEPTED, ...REFUSED]) {
      const without = await send(WITH_FIELDS[0], [`Content-Type: ${type}`], '')
      expect([type, without.status]).to.deep.equal([type, 422])
    }
    for (const type of ['', 'text/plain', 'multipart/form-data; boundary=x', '\xff', 'application/json']) {
      for (const route of WITHOUT_FIELDS) {
        for (const body of ['', '{', 'a=b', '\xff\0']) {
          const answer = await send(route, [`Content-Type: ${type}`, 'Content-Encoding: gzip'], body)
          expect([route, type, answer.status]).to.deep.equal([route, type, 200])
          expectHeaders(answer)
        }
      }
    }
  })

  for (const encoding of [
    ...['', 'gzip', 'x-gzip', 'GZIP', 'deflate', 'br', 'zstd', 'compress', 'exi', 'aws-chunked', 'chunked'],
    ...['utf-8', 'none', ',', '*', 'identity, identity', 'identity, gzip', 'gzip, identity', 'identity;q=1'],
    ...['__proto__', '\xe9', 'a'.repeat(10_000)],
  ]) {
    it(`is 415 with the content encoding "${encoding.slice(0, 20)}"`, async () => {
      const headers = ['Content-Type: application/json', `Content-Encoding: ${encoding}`]
      expectRefusal(await send(WITH_FIELDS[0], headers, '{'), 415, ENCODED)
      expectRefusal(await send(WITH_FIELDS[4], headers, '{'), 415, ENCODED)
    })
  }

  it('may be sent with the content encoding identity', async () => {
    for (const encoding of ['identity', 'IDENTITY', ' identity ']) {
      const headers = ['Content-Type: application/json', `Content-Encoding: ${encoding}`]
      expectRefusal(await send(WITH_FIELDS[0], headers, '{'), 400, NOT_JSON)
    }
  })
})
