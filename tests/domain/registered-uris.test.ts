import { expect } from 'chai'
import { type ClientKind, isLogoutUri, isPageOfClient, isRedirectUri } from '../../domain/redirect-uris.ts'
import { withoutIo } from './no-io.ts'

const SHOP = 'https://shop.example/callback'
const APP = 'com.example.app:/callback'
const KINDS = ['confidential', 'public'] as const

describe('a URI that a request names', () => {
  withoutIo()

  const isUri = (uris: ReadonlyArray<string>, clientKind: ClientKind, sent: string): boolean => {
    const asRedirect = isRedirectUri({ redirectUris: uris, clientKind }, sent)
    expect(isLogoutUri({ logoutUris: uris, clientKind }, sent)).to.equal(asRedirect)
    return asRedirect
  }

  const URIS = [SHOP, 'https://shop.example/?a=b', APP]
  for (const uri of URIS)
    it(`is one of them if it is the same text: ${uri}`, () => {
      for (const kind of KINDS) expect(isUri(URIS, kind, uri)).to.equal(true)
    })

  for (const uri of [
    '',
    'https://shop.example',
    'https://shop.example/',
    `${SHOP}/`,
    `${SHOP}?`,
    `${SHOP}?a=b`,
    `${SHOP}#`,
    `${SHOP} `,
    'https://shop.example:443/callback',
    'https://shop.example:8443/callback',
    'http://shop.example/callback',
    'https://Shop.example/callback',
    'https://shop.example/%63allback',
    'https://shop.example/a/../callback',
    'https://shop.example@evil.example/callback',
    'https://evil.example/callback',
    'com.example.app:callback',
    'com.example.app://callback',
    'COM.example.app:/callback',
  ])
    it(`is none of them otherwise: ${JSON.stringify(uri)}`, () => {
      for (const kind of KINDS) expect(isUri(URIS, kind, uri)).to.equal(false)
    })

  const LOOPBACK: ReadonlyArray<readonly [registered: string, sent: string, isSame: boolean]> = [
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback', true],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:1/callback', true],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1/callback', true],
    ['http://127.0.0.1:3000/callback?a=b', 'http://127.0.0.1:65535/callback?a=b', true],
    ['http://[::1]:3000/callback', 'http://[::1]:51004/callback', true],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:65536/callback', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:0/callback', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:03000/callback', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:/callback', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/other', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback?a=b', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback#a', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback\n', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004@evil.example/callback', false],
    ['http://127.0.0.1/callback', 'http://127.0.0.1.evil.example/callback', false],
    ['http://127.0.0.1/callback', 'http://[::1]:51004/callback', false],
    ['http://[::1]/callback', 'http://127.0.0.1/callback', false],
    ['http://127.0.0.1/callback', 'http://localhost:51004/callback', false],
    ['http://127.0.0.1/callback', 'https://127.0.0.1:51004/callback', false],
    ['https://127.0.0.1/callback', 'https://127.0.0.1:51004/callback', false],
  ]
  for (const [registered, sent, isSame] of LOOPBACK)
    it(`${isSame ? 'has any port' : 'is refused'} for a public client with ${registered}: ${JSON.stringify(sent)}`, () => {
      expect(isUri([SHOP, registered], 'public', sent)).to.equal(isSame)
      expect(isUri([SHOP, registered], 'confidential', sent)).to.equal(false)
    })

  it('is none if the application has none', () => {
    for (const sent of ['', SHOP, 'http://127.0.0.1:3000/']) expect(isUri([], 'public', sent)).to.equal(false)
  })
})

describe('the origin of a page', () => {
  withoutIo()

  const URIS = [SHOP, 'https://shop.example:8443/?a=b', 'http://127.0.0.1:3000/callback', APP]
  const ORIGINS: ReadonlyArray<readonly [origin: string, isOfClient: boolean]> = [
    ['https://shop.example', true],
    ['https://shop.example:8443', true],
    ['http://127.0.0.1:3000', true],
    ['http://127.0.0.1', false],
    ['http://127.0.0.1:3001', false],
    ['http://shop.example', false],
    ['https://shop.example:844', false],
    ['https://shop.example.evil.example', false],
    ['https://evil.example', false],
    ['https://shop.exampl', false],
    ['https://shop.example/', false],
    ['HTTPS://SHOP.EXAMPLE', false],
    ['com.example.app:', false],
    ['null', false],
    ['*', false],
    ['', false],
  ]
  for (const [origin, isOfClient] of ORIGINS)
    it(`${isOfClient ? 'is that of a redirect URI' : 'is of no client'}: ${JSON.stringify(origin)}`, () => {
      expect(isPageOfClient({ redirectUris: URIS, clientKind: 'public' }, origin)).to.equal(isOfClient)
      expect(isPageOfClient({ redirectUris: URIS, clientKind: 'confidential' }, origin)).to.equal(false)
      expect(isPageOfClient({ redirectUris: [], clientKind: 'public' }, origin)).to.equal(false)
    })
})
