import { expect } from 'chai'
import { asciiDomain, asciiEmail, asciiUrl } from '../../adapters/config/addresses/ascii-domains.ts'
import { settingsFrom } from '../../adapters/config/settings.ts'
import { isEmail } from '../../domain/user.ts'

describe('an e-mail in ASCII', () => {
  const KEPT = [
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['Ada@BÜCHER.Example', 'Ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@bücher。example', 'ada@xn--bcher-kva.example'],
    ['ada@straße.example', 'ada@xn--strae-oqa.example'],
    ['ada@دادە.example', 'ada@xn--mgbpb87d.example'],
    [' ada@example.com\n', 'ada@example.com'],
    ['\u00a0\ufeffada@bücher.example\t', 'ada@xn--bcher-kva.example'],
    ['Ada@Example.COM', 'Ada@Example.COM'],
    ['ada@10.0.0.1', 'ada@10.0.0.1'],
    ["a!#$%&'*+/=?^_`{|}~-@ü.example", "a!#$%&'*+/=?^_`{|}~-@xn--tda.example"],
  ] as const
  for (const [text, email] of KEPT)
    it(`of ${JSON.stringify(text)} is ${email}`, () => {
      expect(asciiEmail(text)).to.equal(email)
      expect(isEmail(email)).to.equal(true)
      expect(asciiEmail(email), 'again').to.equal(email)
    })

  const MALFORMED = [
    '',
    ' ',
    'ada',
    'ada@',
    '@',
    '@ü.example',
    'ä@example.com',
    'ada@ü..example',
    'ada@ü.example.',
    'ada@ü/x.example',
    'ada@ü%41.example',
    'ada@ü_.example',
    'ada@ü:80',
    'ada@ü?x',
    'ada@ü#x',
    'ada@ü example',
    'ada@ü\nexample',
    'ada@ü\0.example',
    'ada@[ü]',
    'eve@evil.example@ü',
    'ada@ex／ample.com',
    'ada@℀.example',
    'ada@xn--iñvalid.com',
    'ada@\u200dü.example',
    'ada@\ud800.example',
    'ada@１２７.１',
    'ada@１２３',
    'ada@０x7f.１',
    `ada@${'ü'.repeat(60)}.example`,
    `ada@${'ü.'.repeat(200)}example`,
    `ada@${'ü'.repeat(100_000)}`,
    `${'a'.repeat(240)}@bücher.example`,
  ]
  for (const text of MALFORMED)
    it(`of ${JSON.stringify(text.slice(0, 40))} is none`, () => {
      expect(isEmail(asciiEmail(text))).to.equal(false)
    })

  it('of a malformed domain stays as it is, so that nothing else matches it', () => {
    for (const domain of ['ü/x', '１２７.１', '℀.example', '', 'Example'])
      expect(asciiDomain(domain)).to.equal(domain)
  })
})

describe('settings with a domain', () => {
  it('take one with other letters, and are kept in ASCII', () => {
    expect(asciiUrl('https://bücher.example:8443/a')).to.equal('https://xn--bcher-kva.example:8443/a')
    for (const [sent, kept] of [
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
      ['https://BÜCHER.example:8443/auth', 'https://xn--bcher-kva.example:8443/auth'],
      ['https://Example.com', 'https://Example.com'],
      ['http://[::1]:9000', 'http://[::1]:9000'],
    ])
      expect(settingsFrom({ PUBLIC_URL: sent })).to.have.nested.property('right.publicUrl', kept)
    const KEY_ENCRYPTION_KEY = `2026:${'k'.repeat(32)}`
    expect(settingsFrom({ PASSKEY_RP_ID: 'bücher.example', KEY_ENCRYPTION_KEY })).to.have.nested.property(
      'right.passkeyRpId',
      'xn--bcher-kva.example',
    )
  })

  it('are refused if it is none', () => {
    for (const PUBLIC_URL of [
      'https://ü/x y',
      'https://℀.example',
      'https://１２７.１',
      'https://\u200dü.example',
    ])
      expect(settingsFrom({ PUBLIC_URL })._tag, PUBLIC_URL).to.equal('Left')
  })
})
