import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { isReturnUrl, parseReturnUrls, returnUrlsText, validateReturnUrls } from '../../domain/return-urls.ts'
import { withoutIo } from './no-io.ts'

const SHOP = 'https://shop.example/back'

describe('the return URLs of an application', () => {
  withoutIo()

  const GOOD = [
    SHOP,
    'https://shop.example/',
    'https://shop.example:8443/a/b.c/~d;e=f',
    'https://xn--bcher-kva.example/',
    'http://localhost:3000/back',
    'http://127.0.0.1/',
    'http://127.255.0.9:8080/a',
    'http://[::1]:3000/',
  ]
  for (const url of GOOD)
    it(`may be ${url}`, () => {
      expect(validateReturnUrls([url])).to.deep.equal(right([url]))
    })

  const BAD: ReadonlyArray<readonly [what: string, url: string]> = [
    ['nothing', ''],
    ['no path', 'https://shop.example'],
    ['a query', `${SHOP}?a=b`],
    ['an empty query', `${SHOP}?`],
    ['a fragment', `${SHOP}#a`],
    ['user information', 'https://shop.example@evil.example/'],
    ['a password', 'https://a:b@shop.example/'],
    ['http beyond this machine', 'http://shop.example/back'],
    ['http on an address like one of this machine', 'http://127.0.0.1.evil.example/'],
    ['http on no address of this machine', 'http://128.0.0.1/'],
    ['http on a wrong address', 'http://127.0.0.256/'],
    ['another scheme', 'javascript:alert(1)'],
    ['a scheme of an app', 'shop://back'],
    ['capitals in the host', 'https://Shop.example/'],
    ['letters outside ASCII', 'https://bücher.example/'],
    ['an IP address with https', 'https://192.0.2.1/'],
    ['the implied port', 'https://shop.example:443/'],
    ['the implied port of http', 'http://localhost:80/'],
    ['a port too large', 'https://shop.example:65536/'],
    ['a port with a zero in front', 'https://shop.example:0443/'],
    ['a backslash', 'https://shop.example/\\evil.example'],
    ['a space', 'https://shop.example/a b'],
    ['a tab', 'https://shop.example/\tb'],
    ['a line feed at the end', `${SHOP}\n`],
    ['a segment that browsers remove', 'https://shop.example/a/../b'],
    ['the same, encoded', 'https://shop.example/a/%2E%2e/b'],
    ['a single dot', 'https://shop.example/./a'],
    ['501 characters', `https://shop.example/${'a'.repeat(480)}`],
  ]
  for (const [what, url] of BAD)
    it(`must not have ${what}`, () => {
      expect(validateReturnUrls([SHOP, url])).to.deep.equal(left([{ _tag: 'ReturnUrlMalformed', url }]))
    })

  it('may have 500 characters', () => {
    const url = `https://shop.example/${'a'.repeat(479)}`
    expect(validateReturnUrls([url])).to.deep.equal(right([url]))
  })

  it('are at most ten, each once', () => {
    const urls = Array.from({ length: 11 }, (_, index) => `${SHOP}/${index}`)
    expect(validateReturnUrls([...urls.slice(1), ...urls.slice(1)])).to.deep.equal(right(urls.slice(1)))
    expect(validateReturnUrls(urls)).to.deep.equal(left([{ _tag: 'TooManyReturnUrls', most: 10 }]))
  })

  it('are read as they were written', () => {
    for (const urls of [[], [SHOP], GOOD]) expect(parseReturnUrls(returnUrlsText(urls))).to.deep.equal(urls)
  })
})

describe('a requested return URL', () => {
  withoutIo()

  const URLS = [SHOP, 'https://shop.example/']
  for (const url of [
    ...URLS,
    `${SHOP}?`,
    `${SHOP}?a=b&c=%20d`,
    `${SHOP}?a=b?c`,
    `${SHOP}?${'a'.repeat(1_900)}`,
  ])
    it(`is one of them, with any query: ${url.slice(0, 60)}`, () => {
      expect(isReturnUrl(URLS, url)).to.equal(true)
    })

  const OTHERS: ReadonlyArray<readonly [what: string, url: string]> = [
    ['a longer path', `${SHOP}/more`],
    ['a shorter path', 'https://shop.example/bac'],
    ['another host', 'https://evil.example/back'],
    ['another port', 'https://shop.example:8443/back'],
    ['http', 'http://shop.example/back'],
    ['no host', '//shop.example/back'],
    ['a backslash', '/\\evil.example'],
    ['user information', 'https://shop.example@evil.example/back'],
    ['capitals', 'HTTPS://shop.example/back'],
    ['a fragment', `${SHOP}#a`],
    ['a fragment behind a query', `${SHOP}?a#b`],
    ['a tab in the query', `${SHOP}?a\tb`],
    ['a line feed in the query', `${SHOP}?a\n`],
    ['a quotation mark in the query', `${SHOP}?"`],
    ['3,000 characters', `${SHOP}?${'a'.repeat(3_000)}`],
    ['nothing', ''],
    ['an encoded slash', 'https://shop.example%2fback'],
  ]
  for (const [what, url] of OTHERS)
    it(`is none of them with ${what}`, () => {
      expect(isReturnUrl(URLS, url)).to.equal(false)
    })

  it('is none if the application has none', () => {
    expect(isReturnUrl([], '')).to.equal(false)
    expect(isReturnUrl([], SHOP)).to.equal(false)
  })
})
