import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect } from 'chai'
import { type Environment, SETTINGS, settingsFrom } from '../../adapters/config/settings.ts'
import { ROOT } from '../architecture/root.ts'
import { serviceSays } from '../ship/systemd.ts'
import { expectListed } from '../support/listed.ts'

const text = readFileSync(join(ROOT, '.env.example'), 'utf8')

type Example = Readonly<{ name: string; value: string; isSet: boolean }>

/** Every setting in the file, set or commented out. */
const examples: ReadonlyArray<Example> = [...text.matchAll(/^(#?)([A-Z_]+)=(.*)$/gm)].map(
  ([, mark, name = '', value = '']) => ({ name, value, isSet: mark === '' }),
)

const exampleOf = (wanted: string): string => examples.find(({ name }) => name === wanted)?.value ?? ''

/** The settings that a setting requires. */
const neededBy = (name: string): Environment => {
  if (/^DATABASE_(?:POOL_SIZE|DIRECT_URL)/.test(name)) return { DATABASE_URL: 'postgres://ada@db/auth' }
  const KEY_ENCRYPTION_KEY = `2026:${'s'.repeat(32)}`
  if (name === 'ACCOUNT_PAGES') return { KEY_ENCRYPTION_KEY }
  if (name === 'OPENID') return { ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY }
  if (name === 'PAGES_REGISTRATION') return { ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY, ...neededByMail(name) }
  if (name.startsWith('PAGES_')) return { ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY }
  if (name.startsWith('MAIL_') || name === 'THROTTLE_MAILS') return neededByMail(name)
  if (name === 'PASSKEY_RP_ID' || name === 'IDENTITY_PROVIDERS_FILE') return { KEY_ENCRYPTION_KEY }
  return /^PASSWORD_(?:MIN_LENGTH|LEAKED_FILE)$/.test(name) ? { PASSWORD_POLICY: 'nist' } : {}
}

/** The settings of mails, without the one that is under test. */
const neededByMail = (name: string): Environment =>
  Object.fromEntries(
    ['PUBLIC_URL', 'MAIL_URL', 'MAIL_FROM', 'MAIL_CONTACT']
      .filter((needed) => needed !== name && `${needed}_FILE` !== name)
      .map((needed) => [needed, exampleOf(needed)]),
  )

describe('.env.example', () => {
  it('contains each setting exactly once', () => {
    expectListed(
      examples.map(({ name }) => name),
      SETTINGS,
      '.env.example',
    )
  })

  it('explains each setting in a line above it', () => {
    const lines = text.split('\n')
    for (const { name } of examples) {
      const at = lines.findIndex((line) => new RegExp(`^#?${name}=`).test(line))
      expect(lines[at - 1], name).to.match(/^# [A-Z].{5,}$/)
    }
  })

  it('sets only what production needs', () => {
    const set = examples.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value])
    expect(Object.fromEntries(set)).to.deep.equal({
      PUBLIC_URL: 'https://auth.example.com',
      TRUST_PROXY: '1',
      METRICS_PORT: '9464',
      PASSWORD_POLICY: 'nist',
      THROTTLE_APPLICATION_TOKENS: '600',
      THROTTLE_REGISTRATIONS: '60',
    })
  })

  it('is valid unchanged, and means the same to Node, Compose and systemd', () => {
    const read = parseEnv(text)
    expect(read).to.deep.equal(
      Object.fromEntries(examples.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value])),
    )
    expect(settingsFrom(read)).to.have.property('_tag', 'Right')
    // Each of them reads quotes, outer spaces, $ and comments after a value differently.
    for (const { value } of examples) expect(value).to.match(/^[^\s"'$#]+$/)
  })

  it('names no file that the systemd unit keeps for root', () => {
    const secret = serviceSays('LoadCredential').map((line) => line.split(':')[1])
    expect(secret).to.have.lengthOf(2)
    for (const { name, value } of examples) expect(secret, name).not.to.include(value)
  })

  describe('shows valid values', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
    after(() => rmSync(folder, { recursive: true }))

    for (const { name, value } of examples) {
      it(`as ${name}`, () => {
        const secret = SETTINGS.includes(name.replace(/_FILE$/, '')) ? name.replace(/_FILE$/, '') : name
        const file = join(folder, name)
        if (secret !== name) writeFileSync(file, exampleOf(secret))
        const environment = { ...neededBy(name), [name]: secret === name ? value : file }
        expect(settingsFrom(environment)).to.have.property('_tag', 'Right')
      })
    }
  })

  it('shows the defaults', () => {
    const nothingSet = settingsFrom({})
    for (const { name, value, isSet } of examples) {
      const isExample =
        /_FILE$|^DATABASE_DIRECT_URL$|^PASSWORD_PEPPER$|^KEY_ENCRYPTION_KEY$|^EVENT_LOG_KEY$|^OPERATOR$|^READ_MODEL$|^SESSION_IDLE_TTL$|^SESSION_REMEMBER_TTL$|^PASSKEY_RP_ID$|^PAGES_FOLDER$|^MAIL_(?:URL|FROM|CONTACT|EXTRA)$/.test(
          name,
        )
      const isOfTheMachine = name === 'HASHING_CONCURRENCY'
      if (isSet || isExample || isOfTheMachine) continue
      const needed = neededBy(name)
      expect(settingsFrom({ ...needed, [name]: value }), name).to.deep.equal(
        Object.keys(needed).length === 0 ? nothingSet : settingsFrom(needed),
      )
    }
  })
})
