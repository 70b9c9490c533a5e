import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { settings, settingsFrom } from '../../adapters/config/settings.ts'

const DEFAULTS = settings({})

describe('the settings that depend on others', () => {
  for (const name of ['a', 'Otter & Söhne “GmbH”', '株式会社', 'a'.repeat(60), '😀'.repeat(60)])
    it(`accept PAGES_NAME=${name} with ACCOUNT_PAGES=on`, () => {
      expect(settingsFrom({ ACCOUNT_PAGES: 'on', PAGES_NAME: name })).to.deep.equal(
        right({ ...DEFAULTS, pages: { name } }),
      )
    })

  for (const name of [' a', 'a ', ' ', 'a\nb', 'a\u0000', 'a\u202eb', '\ud800', 'a\u2028b', 'a'.repeat(61)])
    it(`refuse PAGES_NAME=${JSON.stringify(name)}`, () => {
      const refused = settingsFrom({ ACCOUNT_PAGES: 'on', PAGES_NAME: name })
      const [sentence = ''] = refused._tag === 'Left' ? refused.left : []
      expect(sentence).to.include(
        'PAGES_NAME must be 1 to 60 characters without control characters and without spaces at its ends, got "',
      )
    })

  const KEY_ENCRYPTION_KEY = `2026:${'s'.repeat(32)}`

  for (const [name, value, changed] of [
    ['SECOND_FACTORS', 'on', { secondFactors: true }],
    ['PASSKEY_RP_ID', 'shop.example', { passkeyRpId: 'shop.example' }],
    ['PASSKEY_RP_ID', 'localhost', { passkeyRpId: 'localhost' }],
  ] as const)
    it(`accept ${name}=${value} with KEY_ENCRYPTION_KEY`, () => {
      const keyEncryptionKeys = [{ id: '2026', secret: 's'.repeat(32) }]
      expect(settingsFrom({ [name]: value, KEY_ENCRYPTION_KEY })).to.deep.equal(
        right({ ...DEFAULTS, ...changed, keyEncryptionKeys }),
      )
    })

  for (const value of ['https://shop.example', 'Shop.example', '10.0.0.1'])
    it(`refuse PASSKEY_RP_ID=${value}`, () => {
      expect(settingsFrom({ PASSKEY_RP_ID: value, KEY_ENCRYPTION_KEY })).to.deep.equal(
        left([`PASSKEY_RP_ID must be a domain in lower case, such as example.com, got "${value}"`]),
      )
    })

  it('refuse PASSKEY_RP_ID without KEY_ENCRYPTION_KEY', () => {
    expect(settingsFrom({ PASSKEY_RP_ID: 'shop.example' })).to.deep.equal(
      left(['PASSKEY_RP_ID requires KEY_ENCRYPTION_KEY. Set that, or remove PASSKEY_RP_ID']),
    )
  })

  for (const environment of [{}, { KEY_ENCRYPTION_KEY: '' }])
    it(`refuse SECOND_FACTORS=on with ${JSON.stringify(environment)}`, () => {
      expect(settingsFrom({ SECOND_FACTORS: 'on', ...environment })).to.deep.equal(
        left([
          'SECOND_FACTORS=on requires KEY_ENCRYPTION_KEY, which encrypts the secrets of the factors. Set that too',
        ]),
      )
    })

  for (const pages of ['', 'off'])
    it(`refuse PAGES_NAME with ACCOUNT_PAGES=${pages}`, () => {
      expect(settingsFrom({ ACCOUNT_PAGES: pages, PAGES_NAME: 'Otterworks' })).to.deep.equal(
        left(['PAGES_NAME requires ACCOUNT_PAGES=on or MAIL_URL. Set that, or remove PAGES_NAME']),
      )
    })

  it('refuse a SESSION_TTL below USER_TOKEN_TTL, also below its default', () => {
    const wrong = (least: number, value: string) =>
      left([`SESSION_TTL must be at least USER_TOKEN_TTL (${least}), got "${value}"`])
    expect(settingsFrom({ SESSION_TTL: '43199' })).to.deep.equal(wrong(43_200, '43199'))
    expect(settingsFrom({ SESSION_TTL: '60', USER_TOKEN_TTL: '61' })).to.deep.equal(wrong(61, '60'))
    expect(settingsFrom({ SESSION_TTL: '60', USER_TOKEN_TTL: '60' })).to.deep.include({ _tag: 'Right' })
  })

  it('refuse a SESSION_IDLE_TTL above SESSION_TTL, which is USER_TOKEN_TTL without one', () => {
    const wrong = (most: number, value: string) =>
      left([`SESSION_IDLE_TTL must be at most SESSION_TTL (${most}), got "${value}"`])
    expect(settingsFrom({ SESSION_IDLE_TTL: '43201' })).to.deep.equal(wrong(43_200, '43201'))
    expect(settingsFrom({ SESSION_IDLE_TTL: '61', USER_TOKEN_TTL: '60' })).to.deep.equal(wrong(60, '61'))
    expect(settingsFrom({ SESSION_IDLE_TTL: '86401', SESSION_TTL: '86400' })).to.deep.equal(
      wrong(86_400, '86401'),
    )
    const longest = { SESSION_IDLE_TTL: '86400', SESSION_TTL: '86400' }
    expect(settingsFrom(longest)).to.deep.equal(
      right({ ...DEFAULTS, idleTtlSeconds: 86_400, sessionTtlSeconds: 86_400 }),
    )
  })

  it('refuse the same port for METRICS_PORT and PORT', () => {
    const wrong = (port: string, value = port) =>
      left([`METRICS_PORT must differ from PORT (${port}), got "${value}"`])
    expect(settingsFrom({ METRICS_PORT: '8080' })).to.deep.equal(wrong('8080'))
    expect(settingsFrom({ METRICS_PORT: '08080', PORT: '' })).to.deep.equal(wrong('8080', '08080'))
    expect(settingsFrom({ METRICS_PORT: '9464', PORT: '9464' })).to.deep.equal(wrong('9464'))
    expect(settingsFrom({ METRICS_PORT: '8080', PORT: '9464' })).to.deep.include({ _tag: 'Right' })
  })
})
