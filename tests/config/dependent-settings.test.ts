import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { settings, settingsFrom } from '../../adapters/config/settings.ts'

const DEFAULTS = settings({})
const KEY_ENCRYPTION_KEY = `2026:${'s'.repeat(32)}`
const keyEncryptionKeys = [{ id: '2026', secret: 's'.repeat(32) }]

describe('the settings that depend on others', () => {
  for (const name of ['a', 'Otter & Söhne “GmbH”', '株式会社', 'a'.repeat(60), '😀'.repeat(60)])
    it(`accept PAGES_NAME=${name} with ACCOUNT_PAGES=on`, () => {
      expect(settingsFrom({ ACCOUNT_PAGES: 'on', PAGES_NAME: name, KEY_ENCRYPTION_KEY })).to.deep.equal(
        right({ ...DEFAULTS, keyEncryptionKeys, pages: { name, registration: false } }),
      )
    })

  for (const name of [' a', 'a ', ' ', 'a\nb', 'a\u0000', 'a\u202eb', '\ud800', 'a\u2028b', 'a'.repeat(61)])
    it(`refuse PAGES_NAME=${JSON.stringify(name)}`, () => {
      const refused = settingsFrom({ ACCOUNT_PAGES: 'on', PAGES_NAME: name, KEY_ENCRYPTION_KEY })
      const [sentence = ''] = refused._tag === 'Left' ? refused.left : []
      expect(sentence).to.include(
        'PAGES_NAME must be 1 to 60 characters without control characters and without spaces at its ends, got "',
      )
    })

  for (const [name, value, changed] of [
    ['SECOND_FACTORS', 'on', { secondFactors: true }],
    ['PASSKEY_RP_ID', 'shop.example', { passkeyRpId: 'shop.example' }],
    ['PASSKEY_RP_ID', 'localhost', { passkeyRpId: 'localhost' }],
  ] as const)
    it(`accept ${name}=${value} with KEY_ENCRYPTION_KEY`, () => {
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

  it('refuse ACCOUNT_PAGES=on without KEY_ENCRYPTION_KEY', () => {
    expect(settingsFrom({ ACCOUNT_PAGES: 'on' })).to.deep.equal(
      left([
        'ACCOUNT_PAGES=on requires KEY_ENCRYPTION_KEY, which seals the cookies. Set it to ID:SECRET (make a SECRET: openssl rand -hex 32)',
      ]),
    )
  })

  for (const PUBLIC_URL of [
    'https://a.example/x',
    'http://localhost:1',
    'http://127.0.0.9',
    'http://[::1]:2',
    '',
  ])
    it(`accept ACCOUNT_PAGES=on with PUBLIC_URL=${PUBLIC_URL}`, () => {
      expect(settingsFrom({ ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY, PUBLIC_URL })).to.have.property(
        '_tag',
        'Right',
      )
    })

  for (const where of [
    { PUBLIC_URL: 'http://a.example' },
    { PUBLIC_URL: 'http://localhost.example' },
    { PUBLIC_URL: 'http://10.0.0.1' },
    { PUBLIC_URL: 'http://127.0.0.1.example' },
    { HOST: '0.0.0.0' },
  ])
    it(`refuse ACCOUNT_PAGES=on with ${JSON.stringify(where)}: browsers would keep no cookie`, () => {
      expect(settingsFrom({ ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY, ...where })).to.deep.equal(
        left([
          'ACCOUNT_PAGES=on requires a PUBLIC_URL with https, or with http on localhost or a loopback address: browsers keep its cookies nowhere else',
        ]),
      )
    })

  it('accept OPENID=on with ACCOUNT_PAGES=on', () => {
    expect(settingsFrom({ OPENID: 'on', ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY })).to.deep.equal(
      right({
        ...DEFAULTS,
        keyEncryptionKeys,
        pages: { name: 'Portcullis', registration: false },
        openid: true,
      }),
    )
  })

  for (const environment of [{}, { ACCOUNT_PAGES: '' }, { ACCOUNT_PAGES: 'off', KEY_ENCRYPTION_KEY }])
    it(`refuse OPENID=on with ${Object.keys(environment).join(' and ') || 'nothing else'}`, () => {
      expect(settingsFrom({ OPENID: 'on', ...environment })).to.deep.equal(
        left(['OPENID=on requires ACCOUNT_PAGES=on, because people sign in on those pages. Set that too']),
      )
    })

  for (const [lacking, others] of [
    ['KEY_ENCRYPTION_KEY', {}],
    ['https', { KEY_ENCRYPTION_KEY, PUBLIC_URL: 'http://a.example' }],
  ] as const)
    it(`refuse OPENID=on with pages that lack ${lacking}, in one sentence about the pages`, () => {
      const refused = settingsFrom({ OPENID: 'on', ACCOUNT_PAGES: 'on', ...others })
      const sentences = refused._tag === 'Left' ? refused.left : []
      expect(sentences).to.have.lengthOf(1)
      expect(sentences[0])
        .to.match(/^ACCOUNT_PAGES=on requires /)
        .and.include(lacking)
    })

  const IDENTITY_PROVIDERS_FILE = '/etc/portcullis/identity-providers.json'

  it('accept a file of providers with KEY_ENCRYPTION_KEY', () => {
    expect(
      settingsFrom({ IDENTITY_PROVIDERS_FILE, IDENTITY_REGISTRATION: 'on', KEY_ENCRYPTION_KEY }),
    ).to.deep.equal(
      right({
        ...DEFAULTS,
        keyEncryptionKeys,
        identityProvidersFile: IDENTITY_PROVIDERS_FILE,
        identityRegistration: true,
      }),
    )
  })

  it('refuse a file of providers without KEY_ENCRYPTION_KEY', () => {
    expect(settingsFrom({ IDENTITY_PROVIDERS_FILE })).to.deep.equal(
      left([
        'IDENTITY_PROVIDERS_FILE requires KEY_ENCRYPTION_KEY. Set that, or remove IDENTITY_PROVIDERS_FILE',
      ]),
    )
  })

  const MAIL = {
    PUBLIC_URL: 'https://a.example',
    MAIL_URL: 'smtps://mail.example.com',
    MAIL_FROM: 'a@b.example',
    MAIL_CONTACT: 'c@b.example',
  }

  it('accept PAGES_REGISTRATION=on with pages and mail', () => {
    const read = settings({ ACCOUNT_PAGES: 'on', PAGES_REGISTRATION: 'on', KEY_ENCRYPTION_KEY, ...MAIL })
    expect(read.pages).to.deep.equal({ name: 'Portcullis', registration: true })
  })

  for (const [lacking, others] of [
    ['MAIL_URL', { ACCOUNT_PAGES: 'on' }],
    ['ACCOUNT_PAGES', MAIL],
  ] as const)
    it(`refuse PAGES_REGISTRATION=on without ${lacking}`, () => {
      expect(settingsFrom({ PAGES_REGISTRATION: 'on', KEY_ENCRYPTION_KEY, ...others })).to.deep.equal(
        left([
          'PAGES_REGISTRATION=on requires ACCOUNT_PAGES=on and MAIL_URL. Set both, or remove PAGES_REGISTRATION',
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
