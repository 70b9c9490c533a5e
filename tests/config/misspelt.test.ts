import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { envFileOf, environmentOf, unknownNamesIn } from '../../adapters/config/environment.ts'
import { distance } from '../../adapters/config/setting-names.ts'
import { SETTINGS, settingsFrom } from '../../adapters/config/settings.ts'

const VALUE = 'hunter2'

describe('a name that is close to a setting', () => {
  const MISSPELT: ReadonlyArray<readonly [name: string, meant: string]> = [
    ['PASSWORD_POLCY', 'PASSWORD_POLICY'],
    ['PASWORD_POLCY', 'PASSWORD_POLICY'],
    ['PASSWORD_POILCY', 'PASSWORD_POLICY'],
    ['PASSWORDPOLICY', 'PASSWORD_POLICY'],
    ['password_policy', 'PASSWORD_POLICY'],
    ['KEY_ENCRYPTION_KEYS', 'KEY_ENCRYPTION_KEY'],
    ['KEY_ENCRYPTION_KEY_FILES', 'KEY_ENCRYPTION_KEY_FILE'],
    ['PASSWORD_PEPER_FILE', 'PASSWORD_PEPPER_FILE'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['PUBLIC_ULR', 'PUBLIC_URL'],
    ['SCRYPT_Q', 'SCRYPT_R'],
  ]

  for (const [name, meant] of MISSPELT)
    it(`stops the start: ${name}`, () => {
      expect(settingsFrom({ [name]: VALUE })).to.deep.equal(
        left([`${name} is not a setting. Did you mean ${meant}?`]),
      )
    })

  it('stops the start also beside the right name', () => {
    expect(settingsFrom({ PASSWORD_POLICY: 'nist', PASSWORD_POLCY: VALUE })).to.deep.equal(
      left(['PASSWORD_POLCY is not a setting. Did you mean PASSWORD_POLICY?']),
    )
  })

  it('is reported with the wrong settings', () => {
    const made = settingsFrom({ PORT: 'x', PASSWORD_POLCY: VALUE })
    expect(made._tag === 'Left' && made.left).to.have.lengthOf(2)
  })

  it('is allowed with an empty value', () => {
    expect(settingsFrom({ PASSWORD_POLCY: '' })).to.have.property('_tag', 'Right')
  })

  const OTHERS = [
    'PATH',
    'POST',
    'PORTS',
    'HOSTS',
    'PGHOST',
    'PGPORT',
    'HOSTNAME',
    'NODE_ENV',
    'NODE_OPTIONS',
    'LOGNAME',
    'LOG_FILE',
    'DATABASE_HOST',
    'DATABASE_PORT',
    'DATABASE_NAME',
    'DATABASE_USER',
    'DATABASE_PASSWORD',
    'OPERATION',
    'OPERATORS',
    'PUBLIC_API_KEY',
    'POSTGRES_PASSWORD_FILE',
    'METRICS_SERVICE_PORT',
    'HTTP_PROXY',
    'SCRYPT_LOG_N_SCRYPT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'PORTCULLIS_URL',
    'CREDENTIALS_DIRECTORY',
  ]
  it('is not one of these, which other programs use', () => {
    for (const name of OTHERS) expect(settingsFrom({ [name]: VALUE }), name).to.have.property('_tag', 'Right')
  })

  it('is not a setting itself', () => {
    for (const one of SETTINGS) {
      const made = settingsFrom({ [one]: '?' })
      expect(made._tag === 'Left' ? made.left.join() : '', one).not.to.include('Did you mean')
    }
  })
})

describe('the distance of two names', () => {
  const DISTANCES: ReadonlyArray<readonly [string, string, number]> = [
    ['', '', 0],
    ['', 'AB', 2],
    ['ABC', 'ABC', 0],
    ['ABC', 'ABD', 1],
    ['ABC', 'AC', 1],
    ['AC', 'ABC', 1],
    ['ABC', 'BAC', 1],
    ['ABCD', 'BADC', 2],
    ['ABC', 'CA', 3],
    ['TRUST_PROXY', 'TRUSTED_PROXY', 2],
  ]
  for (const [one, other, steps] of DISTANCES)
    it(`of ${one || 'nothing'} and ${other || 'nothing'} is ${steps}, in both directions`, () => {
      expect([distance(one, other), distance(other, one)]).to.deep.equal([steps, steps])
    })
})

describe('the names in .env', () => {
  let folder = ''
  const write = (text: string) => writeFileSync(join(folder, '.env'), text)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-env-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are checked for misspelling', () => {
    write(`PASSWORD_POLCY=${VALUE}\n`)
    expect(settingsFrom(environmentOf({}, envFileOf({}, folder)))).to.deep.equal(
      left(['PASSWORD_POLCY is not a setting. Did you mean PASSWORD_POLICY?']),
    )
  })

  it('are returned if they are not settings', () => {
    write('PORT=9000\nDATABASE_URL_FILE=x\nFOO=1\nPOSTGRES_PASSWORD=2\nPGSSLMODE=disable\n')
    expect(unknownNamesIn(envFileOf({}, folder))).to.deep.equal(['FOO', 'POSTGRES_PASSWORD'])
  })

  it('are none without .env', () => {
    expect(unknownNamesIn(envFileOf({}, folder))).to.deep.equal([])
  })
})
