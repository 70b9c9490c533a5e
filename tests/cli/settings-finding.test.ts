import { expect } from 'chai'
import { isPublicHost, settingsFinding } from '../../adapters/cli/settings-finding.ts'
import { settings } from '../support/settings.ts'

const PUBLIC = 'https://auth.otterworks.shop'
const PEPPER = { PASSWORD_PEPPER: `this:${'p'.repeat(32)}` }

describe('the check of settings by doctor', () => {
  for (const url of ['http://0.0.0.0:8080', 'http://[::]:8080', 'http://0:8080/auth', 'https://[0::0]'])
    it(`a wildcard issuer is wrong: ${url}`, () => {
      const { ok, detail } = settingsFinding(settings({ ...PEPPER, PUBLIC_URL: url }))
      expect(ok).to.equal(false)
      expect(detail)
        .to.include(`issuer ${url} is a wildcard address`)
        .and.to.match(/Set PUBLIC_URL/)
    })

  for (const HOST of ['0.0.0.0', '::'])
    it(`the issuer that HOST=${HOST} makes is wrong`, () => {
      expect(settingsFinding(settings({ ...PEPPER, HOST, PUBLIC_URL: '' }))).to.include({ ok: false })
    })

  for (const host of [
    'auth.example.com',
    'EXAMPLE.ORG',
    'example.net.',
    'id.example',
    'example',
    'shop.invalid',
  ])
    it(`an issuer of an example is wrong: ${host}`, () => {
      const PUBLIC_URL = `https://${host}`
      const { ok, detail } = settingsFinding(settings({ ...PEPPER, PUBLIC_URL, PASSWORD_POLICY: 'nist' }))
      expect(ok).to.equal(false)
      expect(detail).to.include(`The issuer ${PUBLIC_URL} has a host name for examples`)
    })

  for (const host of [
    'notexample.com',
    'example.com.otterworks.shop',
    'example.de',
    'my-invalid',
    'a.localhost',
  ])
    it(`an issuer of no example is right: ${host}`, () => {
      const made = settings({ ...PEPPER, PUBLIC_URL: `https://${host}`, PASSWORD_POLICY: 'nist' })
      expect(settingsFinding(made)).to.include({ ok: true })
    })

  it('an issuer of a test is advice, not an error', () => {
    const { ok, detail } = settingsFinding(settings({ ...PEPPER, PUBLIC_URL: 'http://shop.test' }))
    expect(ok).to.equal(true)
    expect(detail).to.match(
      /The issuer http:\/\/shop\.test has a host name for tests\. Do not use it in production\.$/,
    )
  })

  it('the default of PUBLIC_URL is wrong behind a proxy', () => {
    const behind = { ...PEPPER, TRUST_PROXY: '1', PUBLIC_URL: '', HOST: '::1' }
    const { ok, detail } = settingsFinding(settings(behind))
    expect(ok).to.equal(false)
    expect(detail).to.include(
      'but the issuer http://[::1]:8080 is the address of the service itself. Set PUBLIC_URL',
    )
    expect(settingsFinding(settings({ ...behind, TRUST_PROXY: '0' }))).to.include({ ok: true })
    expect(settingsFinding(settings({ ...behind, PUBLIC_URL: 'http://localhost:3000' }))).to.include({
      ok: true,
    })
  })

  it('PASSWORD_POLICY=contract is wrong with a public PUBLIC_URL', () => {
    const { ok, detail } = settingsFinding(settings({ ...PEPPER, PUBLIC_URL: PUBLIC }))
    expect(ok).to.equal(false)
    expect(detail).to.match(/Set PASSWORD_POLICY=nist\.$/)
  })

  it('a missing pepper is advice, not an error', () => {
    for (const PUBLIC_URL of ['', PUBLIC]) {
      const { ok, detail } = settingsFinding(settings({ PUBLIC_URL, PASSWORD_POLICY: 'nist' }))
      expect(ok).to.equal(true)
      expect(detail).to.include('PASSWORD_PEPPER is not set')
    }
  })

  it('USER_TOKEN_FORMAT=jwt without PUBLIC_URL is advice, not an error', () => {
    const jwt = { ...PEPPER, USER_TOKEN_FORMAT: 'jwt' }
    const { ok, detail } = settingsFinding(settings({ ...jwt, PUBLIC_URL: '' }))
    expect(ok).to.equal(true)
    expect(detail).to.include('compare the audience of user tokens with http://127.0.0.1:8080')
    const given = settings({ ...jwt, PUBLIC_URL: PUBLIC, PASSWORD_POLICY: 'nist' })
    expect(settingsFinding(given).detail).not.to.include('USER_TOKEN_FORMAT')
  })

  it('OPENID=on without PUBLIC_URL is advice, not an error', () => {
    const openid = { ...PEPPER, ACCOUNT_PAGES: 'on', OPENID: 'on', KEY_ENCRYPTION_KEY: `k:${'a'.repeat(32)}` }
    const { ok, detail } = settingsFinding(settings({ ...openid, PUBLIC_URL: '' }))
    expect(ok).to.equal(true)
    expect(detail).to.include('OPENID=on: http://127.0.0.1:8080 is the issuer')
    const given = settings({ ...openid, PUBLIC_URL: PUBLIC, PASSWORD_POLICY: 'nist' })
    expect(settingsFinding(given).detail).not.to.include('OPENID')
  })
})

describe('a host', () => {
  const PUBLIC = [
    'auth.example.com',
    'AUTH.EXAMPLE.COM.',
    '8.8.8.8',
    '[2606:4700::1111]',
    'local.example',
    'mylocal.net',
  ]
  const OURS = [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '192.0.2.1',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '[fd00::1]',
    '[fe80::1]',
    'localhost',
    'auth',
    'auth.localhost',
    'auth.local',
    'Auth.Local.',
    'auth.corp.internal',
    'service.test',
    'nas.home.arpa',
  ]
  for (const [hosts, isPublic] of [
    [PUBLIC, true],
    [OURS, false],
  ] as const)
    for (const host of hosts)
      it(`${host} is ${isPublic ? 'public' : 'not public'}`, () => {
        expect(isPublicHost(host)).to.equal(isPublic)
      })
})
