import { expect } from 'chai'
import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import {
  isOnRpId,
  isRelated,
  isRpId,
  originsText,
  parseOrigins,
  validateOrigin,
  validateOrigins,
} from '../../domain/passkey-origins.ts'
import { SEED, withoutIo } from './no-io.ts'

/** With the SHA-256 of nothing. */
const APP = 'android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'

describe('the origins of passkeys', () => {
  withoutIo()

  const ACCEPTED = [
    ['https://shop.example', 'shop.example'],
    ['https://login.shop.example', 'shop.example'],
    ['https://a.b.shop.example:8443', 'shop.example'],
    ['https://shop.example:80', 'shop.example'],
    ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['http://localhost', 'localhost'],
    ['http://localhost:3000', 'localhost'],
    ['https://localhost:65535', 'localhost'],
    ['https://other.example', 'shop.example'],
    ['https://shop.example.evil', 'shop.example'],
    ['https://shop.example', 'login.shop.example'],
  ] as const
  for (const [origin, rpId] of ACCEPTED)
    it(`accept ${origin} for ${rpId}`, () => {
      expect(validateOrigin(origin, rpId)).to.deep.equal(right(origin))
      expect(new URL(origin).origin).to.equal(origin)
    })

  it('refuse http://localhost outside of it', () => {
    expect(validateOrigin('http://localhost', 'shop.example')).to.deep.equal(left('OriginOutside'))
  })

  it('accept apps on Android, for any RP ID', () => {
    for (const rpId of ['shop.example', 'localhost'])
      expect(validateOrigin(APP, rpId)).to.deep.equal(right(APP))
    expect([isOnRpId(APP, 'shop.example'), isRelated(APP, 'shop.example')]).to.deep.equal([false, false])
  })

  const PLACES = [
    ['https://shop.example', 'shop.example', true],
    ['https://a.shop.example:8443', 'shop.example', true],
    ['http://localhost:3000', 'localhost', true],
    ['https://example', 'shop.example', false],
    ['https://evilshop.example', 'shop.example', false],
    ['https://shop.example.evil', 'shop.example', false],
    ['https://other.example', 'shop.example', false],
    ['https://shop.example', 'login.shop.example', false],
  ] as const
  for (const [origin, rpId, isOn] of PLACES)
    it(`${isOn ? 'find' : 'do not find'} ${origin} on ${rpId}`, () => {
      expect([isOnRpId(origin, rpId), isRelated(origin, rpId)]).to.deep.equal([isOn, !isOn])
    })

  const MALFORMED = [
    '',
    'shop.example',
    'http://shop.example',
    'http://login.localhost',
    'HTTPS://shop.example',
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example/login',
    'https://shop.example?a',
    'https://shop.example#a',
    'https://shop.example.',
    'https://shop..example',
    'https://-shop.example',
    'https://shop.example:443',
    'https://shop.example:0443',
    'https://shop.example:0',
    'https://shop.example:65536',
    'https://shop.example:',
    'https://user@shop.example',
    'https://bücher.example',
    'https://127.0.0.1',
    'https://[::1]',
    'http://localhost:80',
    ' https://shop.example',
    'https://shop.example\n',
    'https://shop.example https://shop.example',
    'android:apk-key-hash:AAAA',
    `${APP}=`,
    `${APP}A`,
    `${APP.slice(0, -1)}V`,
    `${APP.slice(0, -1)}+`,
    `${APP}\n`,
    ` ${APP}`,
    APP.replace('apk-key-hash', 'apk-key-hash-sha256'),
    APP.toUpperCase(),
    'ios:bundle-id:example.app',
    'null',
    '*',
  ]
  for (const origin of MALFORMED)
    it(`refuse ${JSON.stringify(origin)}, which no browser sends or which has no passkeys`, () => {
      for (const rpId of ['shop.example', 'localhost', ''])
        expect(validateOrigin(origin, rpId)).to.deep.equal(left('OriginMalformed'))
    })

  it('are in the form of URL.origin if they are accepted', () => {
    const host = fc.stringMatching(/^[a-z0-9.-]{1,12}$/)
    const port = fc.oneof(
      fc.constant(''),
      fc.integer({ min: -1, max: 70_000 }).map((number) => `:${number}`),
    )
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), host, port, (scheme, name, suffix) => {
        const origin = `${scheme}://${name}.example${suffix}`
        if (isRight(validateOrigin(origin, 'example')) && URL.canParse(origin))
          expect(new URL(origin).origin).to.equal(origin)
      }),
      { seed: SEED },
    )
  })

  const [LOGIN, SHOP, LOCAL] = ['https://login.shop.example', 'https://shop.example', 'http://localhost']
  const LISTS = [
    ['none', [], 'shop.example', right([])],
    ['none without an RP ID', [], undefined, right([])],
    ['each once, in their order', [LOGIN, SHOP, LOGIN], 'shop.example', right([LOGIN, SHOP])],
    [
      'all that is wrong',
      ['shop.example', LOGIN, LOCAL],
      'shop.example',
      left([
        { _tag: 'OriginMalformed', origin: 'shop.example' },
        { _tag: 'OriginOutside', origin: LOCAL },
      ]),
    ],
    ['nothing without an RP ID', [SHOP], undefined, left([{ _tag: 'PasskeysOff', origin: SHOP }])],
  ] as const
  for (const [what, origins, rpId, expected] of LISTS)
    it(`of an application are validated together: ${what}`, () => {
      expect(validateOrigins(origins, rpId)).to.deep.equal(expected)
    })

  const DOMAINS = [
    ['localhost', true],
    ['shop.example', true],
    [`${'a'.repeat(63)}.example`, true],
    [`${'a'.repeat(64)}.example`, false],
    [`${'a.'.repeat(123)}example`, true],
    [`${'a.'.repeat(124)}example`, false],
    ['', false],
    ['Shop.example', false],
    ['shop.example:443', false],
    ['https://shop.example', false],
    ['.example', false],
    ['shop.example.', false],
    ['10.0.0.1', false],
    ['::1', false],
  ] as const
  for (const [text, expected] of DOMAINS)
    it(`${expected ? 'accept' : 'refuse'} ${JSON.stringify(text.slice(0, 30))} of ${text.length} characters as an RP ID`, () => {
      expect(isRpId(text)).to.equal(expected)
    })

  for (const origins of [[], ['https://a.example'], ['https://a.example', 'https://b.example:8443']])
    it(`are one text in a row: ${origins.length} of them`, () => {
      expect(parseOrigins(originsText(origins))).to.deep.equal(origins)
    })
})
