import { METHODS } from 'node:http'
import * as fc from 'fast-check'
import { anyCharacter } from '../support/code-points.ts'
import { among, lineBytes, mostly, secret } from './random-requests-arbitraries.ts'
import type { TokenPlan } from './random-requests-plans.ts'

/** Any text as a URL has it. `fc.webQueryParameters` makes the same, but builds a table of all characters for it, which takes a second. */
const urlText = (alsoAllowed = ''): fc.Arbitrary<string> =>
  fc.string({
    maxLength: 20,
    unit: fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...UNRESERVED) },
      { weight: 2, arbitrary: fc.constantFrom(..."!$&'()*+,;=:@", ...alsoAllowed) },
      { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
    ),
  })

const UNRESERVED = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~'

export const target = (path: string): fc.Arbitrary<string> =>
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
    urlText('/?').map((query) => `${path}?${query}`),
    fc.array(urlText(), { maxLength: 10 }).map((segments) => `/${segments.join('/')}`),
    fc.nat(20_000).map((length) => `${path}?${'x'.repeat(length)}`),
    lineBytes(20).map((any) => `/${any}`),
  )

export const method = (right: string): fc.Arbitrary<string> =>
  mostly(
    right,
    fc.constantFrom(...METHODS),
    among('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    among('CONNECT', 'TRACE', 'BREW', 'get', '', 'GET\0', 'PRI', '%password%', '\xff', 'M'.repeat(5_000)),
  )

export const token = (right: string): fc.Arbitrary<TokenPlan> =>
  mostly<TokenPlan>(
    { scheme: 'Bearer ', of: right },
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
    }),
    fc.record({
      scheme: fc.constant('Bearer '),
      of: among('privateKey', 'publicKey', 'password', 'record', 'email', 'huge', 'dots'),
    }),
  )

export const type = (right: string): fc.Arbitrary<string> =>
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

export const headers: fc.Arbitrary<ReadonlyArray<string>> = mostly<ReadonlyArray<string>>(
  [],
  fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 3 }),
  fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 3 }),
  lineBytes(8).map((any) => [`X-Any: ${any}`]),
  fc.integer({ min: 95, max: 130 }).map((count) => Array<string>(count).fill('X: y')),
)
