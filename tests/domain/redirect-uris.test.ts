import { expect } from 'chai'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import {
  isSameClient,
  NO_CLIENT,
  type OpenIdClient,
  parseUris,
  type UriRule,
  urisText,
  validateClient,
} from '../../domain/redirect-uris.ts'
import { SEED, withoutIo } from './no-io.ts'

const SHOP = 'https://shop.example/callback'
const APP = 'com.example.app:/callback'
const KINDS = ['confidential', 'public'] as const

const client = (fields: Partial<OpenIdClient>): OpenIdClient => ({ ...NO_CLIENT, ...fields })
const refused = (uri: string, rule: UriRule, list: 'redirect' | 'logout' = 'redirect') =>
  ({ _tag: 'UriRefused', list, uri, rule }) as const

describe('the redirect URIs and logout URIs of an application', () => {
  withoutIo()

  const GOOD = [
    SHOP,
    'https://shop.example/',
    'https://shop.example/?',
    'https://shop.example/a/b.c/~d;e=f?g=h&i=%20j?k',
    'https://shop.example:8443/callback',
    'https://shop.example:80/callback',
    'https://xn--bcher-kva.example/callback',
    'https://intranet/callback',
    'https://192.0.2.1/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:3000/callback?a=b',
    'http://[::1]:3000/',
    "https://shop.example/it's",
  ]
  for (const uri of GOOD)
    it(`may be ${uri}`, () => {
      for (const kind of KINDS)
        expect(validateClient({ redirectUris: [uri], logoutUris: [uri], client: kind })).to.deep.equal(
          right(client({ redirectUris: [uri], logoutUris: [uri], clientKind: kind })),
        )
      expect(new URL(uri).href).to.equal(uri)
    })

  const PRIVATE = [
    APP,
    'com.example.app:callback',
    'com.example.app://callback',
    'com.example.app://shop.example/a?b=c',
    "com.example.app:/a?b='c'",
    'com.example.app:/user@shop',
    'com.1example.app-2+3:///a//b',
    'com.example.app://',
  ]
  for (const uri of PRIVATE)
    it(`may be ${uri} for a public client only`, () => {
      const request = { redirectUris: [uri], client: 'public' } as const
      expect(validateClient(request)).to.deep.equal(
        right(client({ redirectUris: [uri], clientKind: 'public' })),
      )
      expect(new URL(uri).href).to.equal(uri)
      const confidential = validateClient({ ...request, client: 'confidential' })
      expect(confidential).to.deep.equal(left([refused(uri, 'private_scheme')]))
    })

  for (const uri of ['https://127.0.0.1:8443/callback', 'https://[::1]/callback'])
    it(`may be ${uri} for a confidential client only`, () => {
      const request = { redirectUris: [uri], client: 'confidential' } as const
      expect(validateClient(request)).to.deep.equal(right(client({ redirectUris: [uri] })))
      const asPublic = validateClient({ ...request, client: 'public' })
      expect(asPublic).to.deep.equal(left([refused(uri, 'loopback')]))
    })

  const BAD: ReadonlyArray<readonly [what: string, uri: string, rule: UriRule]> = [
    ['be empty', '', 'form'],
    ['be relative', '/callback', 'form'],
    ['be without a scheme', '//shop.example/callback', 'form'],
    ['have no path', 'https://shop.example', 'form'],
    ['have a query and no path', 'https://shop.example?a=b', 'form'],
    ['have no path on a loopback address', 'http://127.0.0.1:3000', 'form'],
    ['have a scheme in capitals', 'HTTPS://shop.example/callback', 'form'],
    ['have a private scheme in capitals', 'com.example.App:/callback', 'form'],
    ['have a host in capitals', 'https://Shop.example/callback', 'form'],
    ['have letters outside ASCII in the host', 'https://bücher.example/callback', 'form'],
    ['have letters outside ASCII in the path', 'https://shop.example/zurück', 'form'],
    ['have no host', 'https:///callback', 'form'],
    ['have an empty label', 'https://shop..example/callback', 'form'],
    ['have the implied port', 'https://shop.example:443/callback', 'form'],
    ['have the implied port of http', 'http://127.0.0.1:80/callback', 'form'],
    ['have an empty port', 'https://shop.example:/callback', 'form'],
    ['have a port with a zero in front', 'https://shop.example:08443/callback', 'form'],
    ['have a port too large', 'https://shop.example:65536/callback', 'form'],
    ['have an IPv4 address in another form', 'https://192.0.2.01/callback', 'form'],
    ['have half an IPv4 address', 'https://192.0.2/callback', 'form'],
    ['have one slash', 'https:/shop.example/callback', 'form'],
    ['have a backslash', 'https://shop.example\\callback', 'form'],
    ['have a backslash in the path', 'https://shop.example/\\evil.example', 'form'],
    ['have a space', 'https://shop.example/call back', 'form'],
    ['begin with a space', ` ${SHOP}`, 'form'],
    ['have a tab', 'https://shop.example/\tcallback', 'form'],
    ['end with a line feed', `${SHOP}\n`, 'form'],
    ['have a NUL', `${SHOP}\0`, 'form'],
    ['have a segment that browsers remove', 'https://shop.example/a/../callback', 'form'],
    ['have the same, encoded', 'https://shop.example/a/%2E%2e/callback', 'form'],
    ['have a single dot', 'com.example.app:/./callback', 'form'],
    ['have half an encoded character', 'https://shop.example/%4', 'form'],
    ['have a quotation mark', 'https://shop.example/"', 'form'],
    ['have an apostrophe in the query', "https://shop.example/?a='b'", 'form'],
    ['have a private scheme and nothing behind it', 'com.example.app:', 'form'],
    ['have a private scheme and only a query', 'com.example.app:?a=b', 'form'],
    ['have a private scheme with an empty label', 'com..app:/callback', 'form'],
    ['have a private scheme and a port', 'com.example.app://shop:80/callback', 'form'],
    ['have a scheme without a dot', 'myapp:/callback', 'scheme'],
    ['be a script', 'javascript:alert(1)', 'scheme'],
    ['be data', 'data:text/html,a', 'scheme'],
    ['be a file', 'file:///etc/passwd', 'scheme'],
    ['be URN', 'urn:ietf:wg:oauth:2.0:oob', 'scheme'],
    ['be http beyond this machine', 'http://shop.example/callback', 'insecure'],
    ['be http at an address like a loopback one', 'http://127.0.0.1.evil.example/callback', 'insecure'],
    ['be http at another loopback address', 'http://127.0.0.2/callback', 'insecure'],
    ['be http at another form of the loopback address', 'http://[0:0:0:0:0:0:0:1]/callback', 'insecure'],
    ['be at localhost', 'http://localhost:3000/callback', 'localhost'],
    ['be at localhost with https', 'https://localhost/callback', 'localhost'],
    ['be at localhost in capitals', 'HTTP://LocalHost/callback', 'localhost'],
    ['be below localhost', 'http://app.localhost/callback', 'localhost'],
    ['be at localhost with a dot', 'http://localhost./callback', 'localhost'],
    ['have a wildcard in the host', 'https://*.shop.example/callback', 'wildcard'],
    ['have a wildcard in the path', 'https://shop.example/*', 'wildcard'],
    ['have a wildcard in the port', 'http://127.0.0.1:*/callback', 'wildcard'],
    ['be two URIs with a comma between', `${SHOP},https://b.example/`, 'several'],
    ['be two URIs with a comma and a space between', `${SHOP}, http://localhost/`, 'several'],
    ['be a URI and one of an app', `${SHOP},${APP}`, 'several'],
    ['have a fragment', `${SHOP}#a`, 'fragment'],
    ['have an empty fragment', `${SHOP}#`, 'fragment'],
    ['have a fragment in an app', `${APP}#a`, 'fragment'],
    ['have a user name', 'https://shop.example@evil.example/callback', 'user_info'],
    ['have a password', 'https://a:b@shop.example/callback', 'user_info'],
    ['have an empty user name', 'https://@shop.example/callback', 'user_info'],
    ['have a user name on a loopback address', 'http://a@127.0.0.1/callback', 'user_info'],
    ['have a user name behind backslashes', 'https:\\\\a:b@shop.example/callback', 'user_info'],
    ['have a user name in an app', 'com.example.app://a@b/callback', 'user_info'],
    ['have 513 characters', `https://shop.example/${'a'.repeat(492)}`, 'length'],
  ]
  for (const [what, uri, rule] of BAD)
    it(`must not ${what}: ${JSON.stringify(uri.slice(0, 60))}`, () => {
      const request = { redirectUris: [SHOP, uri], logoutUris: [uri, SHOP], client: 'public' } as const
      expect(validateClient(request)).to.deep.equal(left([refused(uri, rule), refused(uri, rule, 'logout')]))
    })

  it('may have 512 characters', () => {
    const uri = `https://shop.example/${'a'.repeat(491)}`
    expect(validateClient({ redirectUris: [uri] })).to.deep.equal(right(client({ redirectUris: [uri] })))
  })

  it('are at most 20 of each kind, each once', () => {
    const uris = Array.from({ length: 21 }, (_, index) => `${SHOP}/${index}`)
    const most = uris.slice(1)
    expect(
      validateClient({ redirectUris: [...most, ...most], logoutUris: [...most, ...most] }),
    ).to.deep.equal(right(client({ redirectUris: most, logoutUris: most })))
    expect(validateClient({ redirectUris: uris, logoutUris: uris })).to.deep.equal(
      left([
        { _tag: 'TooManyUris', list: 'redirect', most: 20 },
        { _tag: 'TooManyUris', list: 'logout', most: 20 },
      ]),
    )
  })

  it('are in the form in which browsers write them, if they are accepted', () => {
    const part = fc.stringMatching(/^[ -~]{0,10}$/)
    const uris = fc
      .tuple(
        fc.constantFrom(
          'https://',
          'http://',
          'com.example.app:',
          'com.example.app://',
          'a.b:',
          'HTTPS:/',
          '',
        ),
        fc.oneof(part, fc.constantFrom('127.0.0.1', '[::1]', 'shop.example', '192.0.2.1', '::1')),
        fc.oneof(
          fc.constant(''),
          fc.integer({ min: -1, max: 70_000 }).map((port) => `:${port}`),
        ),
        fc.constantFrom('', '/', '?', '/?'),
        fc.oneof(part, fc.constantFrom('..', '.', '%2e', '%2E.', '//', '%')),
        fc.constantFrom('', '/', '?', '/a'),
        fc.oneof(part, fc.string({ maxLength: 3 })),
      )
      .map((parts) => parts.join(''))
    let accepted = 0
    fc.assert(
      fc.property(uris, (uri) => {
        // Whether Punycode is valid takes tables of Unicode. A wrong one leads nowhere.
        if (!isRight(validateClient({ redirectUris: [uri], client: 'public' })) || uri.includes('xn--'))
          return
        accepted += 1
        expect(new URL(uri).href).to.equal(uri)
        expect(new URL(uri).username + new URL(uri).hash).to.equal('')
        expect(uri).not.to.match(/[\s\\*#]/)
      }),
      { seed: SEED, numRuns: 5_000 },
    )
    expect(accepted).to.be.greaterThan(200)
  })

  it('are one text in a row', () => {
    for (const uris of [[], [SHOP], [...GOOD, ...PRIVATE]])
      expect(parseUris(urisText(uris))).to.deep.equal(uris)
  })
})

describe('a change of a client', () => {
  withoutIo()

  const before = client({ redirectUris: [SHOP], logoutUris: ['https://shop.example/bye'] })
  const ofApp = client({ redirectUris: [APP], clientKind: 'public' })

  const CHANGES: ReadonlyArray<
    readonly [what: string, before: OpenIdClient, ...Parameters<typeof validateClient>[0][], OpenIdClient]
  > = [
    ['keeps all without options', before, {}, before],
    [
      'keeps the logout URIs beside new redirect URIs',
      before,
      { redirectUris: ['https://a.example/'] },
      { ...before, redirectUris: ['https://a.example/'] },
    ],
    [
      'keeps the redirect URIs beside new logout URIs',
      before,
      { logoutUris: [] },
      { ...before, logoutUris: [] },
    ],
    ['empties a list', before, { redirectUris: [] }, { ...before, redirectUris: [] }],
    ['makes it public', before, { client: 'public' }, { ...before, clientKind: 'public' }],
    ['makes PKCE optional', before, { pkce: 'optional' }, { ...before, requiresPkce: false }],
    [
      'makes it public and PKCE required',
      { ...before, requiresPkce: false },
      { client: 'public', pkce: 'required' },
      { ...before, clientKind: 'public' },
    ],
  ]
  for (const [what, was, request, expected] of CHANGES)
    it(what, () => {
      expect(validateClient(request, was)).to.deep.equal(right(expected))
    })

  it('is refused if a public client need not send PKCE, whatever comes first', () => {
    const problem = left([{ _tag: 'PkceOptional' }])
    expect(validateClient({ client: 'public', pkce: 'optional' }, before)).to.deep.equal(problem)
    expect(validateClient({ pkce: 'optional' }, ofApp)).to.deep.equal(problem)
    expect(validateClient({ client: 'public' }, { ...before, requiresPkce: false })).to.deep.equal(problem)
  })

  it('is refused if a confidential client would keep a private scheme', () => {
    expect(validateClient({ client: 'confidential' }, ofApp)).to.deep.equal(
      left([refused(APP, 'private_scheme')]),
    )
  })

  it('names all problems together', () => {
    const request = { redirectUris: ['x', APP], logoutUris: ['http://localhost/'], pkce: 'optional' } as const
    expect(validateClient(request, ofApp)).to.deep.equal(
      left([
        refused('x', 'form'),
        refused('http://localhost/', 'localhost', 'logout'),
        { _tag: 'PkceOptional' },
      ]),
    )
  })

  it('judges nothing if it is about something else', () => {
    const older = client({ redirectUris: ['http://shop.example/'] })
    expect(validateClient({}, older)).to.deep.equal(right(older))
  })

  it('is one if any value differs', () => {
    expect(isSameClient(before, { ...before })).to.equal(true)
    for (const other of [
      { redirectUris: [] },
      { logoutUris: [SHOP] },
      { clientKind: 'public' as const },
      { requiresPkce: false },
    ])
      expect(isSameClient(before, { ...before, ...other })).to.equal(false)
  })
})
