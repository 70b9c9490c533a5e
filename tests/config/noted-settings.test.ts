import { expect } from 'chai'
import { notedSettings } from '../../adapters/config/noted-settings.ts'
import { SECRETS } from '../../adapters/config/secret-files.ts'
import { SETTINGS, settings } from '../../adapters/config/settings.ts'

const MARK = 'thisIsSecret'
const SECRET = `${MARK}${'s'.repeat(32)}`

/** Each setting that may hold a secret, with one in it. */
const WITH_SECRETS = {
  DATABASE_URL: `postgres://user:${MARK}@db.internal:5432/${MARK}`,
  DATABASE_DIRECT_URL: `postgres://user:${MARK}@db.internal:5432/${MARK}`,
  PASSWORD_PEPPER: `new:${SECRET} old:${SECRET}`,
  KEY_ENCRYPTION_KEY: `kek:${SECRET}`,
  EVENT_LOG_KEY: `log:${SECRET}`,
  MAIL_URL: `smtps://${MARK}:${SECRET}@mail.example.com`,
}

/** What MAIL_URL requires. */
const MAIL = { PUBLIC_URL: 'https://a.example', MAIL_FROM: 'Ada <a@b.example>', MAIL_CONTACT: 'c@b.example' }

describe('the settings that a server notes', () => {
  it('have the names of settings', () => {
    const full = {
      ...WITH_SECRETS,
      ...MAIL,
      PASSWORD_POLICY: 'nist',
      PASSWORD_LEAKED_FILE: '/x',
      ACCOUNT_PAGES: 'on',
    }
    const noted = Object.keys(notedSettings(settings(full)))
    expect(SETTINGS).to.include.members(noted)
    expect(noted).to.include.members(['PUBLIC_URL', 'PASSWORD_MIN_LENGTH', 'PAGES_NAME', 'TRUST_PROXY'])
  })

  it('contain of secrets only the ids', () => {
    expect(Object.keys(WITH_SECRETS), 'a new secret belongs into this test').to.have.members(SECRETS)
    const noted = notedSettings(settings({ ...WITH_SECRETS, ...MAIL }))
    expect(noted).to.include({ PASSWORD_PEPPER: 'new old', KEY_ENCRYPTION_KEY: 'kek', EVENT_LOG_KEY: 'log' })
    expect(JSON.stringify(noted)).not.to.include(MARK)
    expect(noted).not.to.have.any.keys('DATABASE_URL', 'DATABASE_DIRECT_URL')
  })

  it('contain the relay of mails without its credentials', () => {
    const noted = notedSettings(settings({ ...WITH_SECRETS, ...MAIL }))
    expect(noted).to.include({
      MAIL_URL: 'smtps://mail.example.com:465',
      MAIL_FROM: 'Ada <a@b.example>',
      MAIL_CONTACT: 'c@b.example',
      MAIL_EXTRA: 'not set',
      THROTTLE_MAILS: '600',
    })
    expect(
      notedSettings(settings({ ...WITH_SECRETS, ...MAIL, MAIL_EXTRA: 'new_sign_in welcome' })),
    ).to.include({
      MAIL_EXTRA: 'welcome new_sign_in',
    })
    expect(noted).not.to.have.property('MAIL_CONNECTIONS')
    expect(notedSettings(settings({}))).to.include({ MAIL_URL: 'not set' })
  })

  it('say of identity providers only whether there are some', () => {
    expect(notedSettings(settings({}))).to.include({ IDENTITY_PROVIDERS_FILE: 'not set' })
    expect(notedSettings(settings({}))).not.to.have.property('IDENTITY_REGISTRATION')
    const noted = notedSettings(
      settings({ ...WITH_SECRETS, ...MAIL, IDENTITY_PROVIDERS_FILE: `/${MARK}.json` }),
    )
    expect(noted).to.include({ IDENTITY_PROVIDERS_FILE: 'set', IDENTITY_REGISTRATION: 'off' })
    expect(JSON.stringify(noted)).not.to.include(MARK)
  })

  it('leave out what each process may have of its own', () => {
    const own = {
      HOST: '::1',
      PORT: '1',
      METRICS_PORT: '2',
      LOG_LEVEL: 'fatal',
      OPERATOR: 'ada',
      HASHING_CONCURRENCY: '3',
    }
    const same = { PUBLIC_URL: 'http://service.internal' }
    expect(notedSettings(settings({ ...same, ...own }))).to.deep.equal(notedSettings(settings(same)))
  })

  it('are the effective ones', () => {
    expect(notedSettings(settings({ HOST: '::1', PORT: '9000', SCRYPT_LOG_N: '14' }))).to.deep.include({
      PUBLIC_URL: 'http://[::1]:9000',
      SCRYPT_LOG_N: '14',
      USER_TOKEN_TTL: '43200',
      SESSION_IDLE_TTL: 'not set',
      SESSION_TTL: '43200',
      SESSION_REMEMBER_TTL: 'not set',
      HASHING_WAIT: '2',
      PASSWORD_POLICY: 'contract',
      PASSWORD_LEAKED_FILE: 'not set',
      PASSWORD_PEPPER: 'not set',
      SECOND_FACTORS: 'off',
    })
    const on = notedSettings(settings({ ...WITH_SECRETS, ...MAIL, SECOND_FACTORS: 'on' }))
    expect(on).to.have.property('SECOND_FACTORS', 'on')
  })
})
