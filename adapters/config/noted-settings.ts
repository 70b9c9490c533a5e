import { minimumOf } from '../../domain/password-policy.ts'
import { relayText } from './mail-settings.ts'
import { type NamedSecret, productNameOf, type SettingName, type Settings } from './settings.ts'

/** The settings that all servers and commands on one store share, as texts that may be shown. Of secrets it has only the ids. */
export const notedSettings = (settings: Settings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(NOTED).flatMap(([name, noted]) => {
      const text = typeof noted === 'function' ? noted(settings) : undefined
      return text === undefined ? [] : [[name, String(text)]]
    }),
  )

/** The text of a setting, or undefined if it has no effect. `own`: each process has its own value. `secret`: no part of it is noted. */
type Noted = ((settings: Settings) => string | number | undefined) | 'own' | 'secret'

const idsOf = (secrets: ReadonlyArray<NamedSecret>): string =>
  secrets.length === 0 ? 'not set' : secrets.map(({ id }) => id).join(' ')

/** Each setting, so that a new one compiles only with a decision here. */
const NOTED: Readonly<Record<SettingName, Noted>> = {
  PORT: 'own',
  METRICS_PORT: 'own',
  HOST: 'own',
  HTTP_IDLE_TIMEOUT: 'own',
  DATABASE_URL: 'secret',
  DATABASE_POOL_SIZE: 'own',
  DATABASE_DIRECT_URL: 'secret',
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  APPLICATION_TOKEN_TTL: ({ applicationTokenTtlSeconds }) => applicationTokenTtlSeconds,
  USER_TOKEN_TTL: ({ userTokenTtlSeconds }) => userTokenTtlSeconds,
  SESSION_IDLE_TTL: ({ idleTtlSeconds }) => idleTtlSeconds ?? 'not set',
  SESSION_TTL: ({ sessionTtlSeconds }) => sessionTtlSeconds,
  SESSION_REMEMBER_TTL: ({ rememberTtlSeconds }) => rememberTtlSeconds ?? 'not set',
  USER_TOKEN_FORMAT: ({ userTokenFormat }) => userTokenFormat,
  RECOVERY_TTL: ({ recoveryTtlSeconds }) => recoveryTtlSeconds,
  EMAIL_CONFIRMATION_TTL: ({ emailConfirmationTtlSeconds }) => emailConfirmationTtlSeconds,
  SCRYPT_LOG_N: ({ scrypt }) => scrypt.logN,
  SCRYPT_R: ({ scrypt }) => scrypt.r,
  SCRYPT_P: ({ scrypt }) => scrypt.p,
  HASHING_CONCURRENCY: 'own',
  HASHING_WAIT: ({ hashing }) => hashing.maxWaitMs / 1000,
  LOG_LEVEL: 'own',
  PASSWORD_PEPPER: ({ peppers }) => idsOf(peppers),
  KEY_ENCRYPTION_KEY: ({ keyEncryptionKeys }) => idsOf(keyEncryptionKeys),
  EVENT_LOG_KEY: ({ eventLogKeys }) => idsOf(eventLogKeys),
  THROTTLE_ACCOUNT_FAILURES: ({ throttle }) => throttle.accountFailures,
  THROTTLE_ADDRESS_FAILURES: ({ throttle }) => throttle.addressFailures,
  THROTTLE_APPLICATION_TOKENS: ({ throttle }) => throttle.tokensPerMinute,
  THROTTLE_RECOVERIES: ({ throttle }) => throttle.recoveriesPerHour,
  THROTTLE_REGISTRATIONS: ({ throttle }) => throttle.registrationsPerHour,
  THROTTLE_VOUCHED: ({ throttle }) => throttle.vouchedPerHour,
  THROTTLE_SIGN_INS: ({ throttle }) => throttle.signInsPerMinute,
  TRUST_PROXY: ({ trustedProxies }) => trustedProxies,
  PASSWORD_POLICY: ({ passwordPolicy }) => passwordPolicy.kind,
  PASSWORD_MIN_LENGTH: ({ passwordPolicy }) =>
    passwordPolicy.kind === 'nist' ? minimumOf(passwordPolicy) : undefined,
  OPERATOR: 'own',
  READ_MODEL: 'own',
  // Only whether there is one: its path may differ between machines.
  PASSWORD_LEAKED_FILE: ({ leakedPasswordsFile }) => (leakedPasswordsFile === undefined ? 'not set' : 'set'),
  SECOND_FACTORS: ({ secondFactors }) => (secondFactors ? 'on' : 'off'),
  PASSKEY_RP_ID: ({ passkeyRpId }) => passkeyRpId ?? 'not set',
  ACCOUNT_PAGES: ({ pages }) => (pages === undefined ? 'off' : 'on'),
  OPENID: ({ openid }) => (openid ? 'on' : 'off'),
  // As PASSWORD_LEAKED_FILE.
  IDENTITY_PROVIDERS_FILE: ({ identityProvidersFile }) =>
    identityProvidersFile === undefined ? 'not set' : 'set',
  IDENTITY_REGISTRATION: ({ identityProvidersFile, identityRegistration }) =>
    identityProvidersFile === undefined ? undefined : identityRegistration ? 'on' : 'off',
  PAGES_REGISTRATION: ({ pages }) => pages && (pages.registration ? 'on' : 'off'),
  PAGES_NAME: productNameOf,
  PAGES_LANGUAGE: ({ language }) => language,
  // As PASSWORD_LEAKED_FILE.
  PAGES_FOLDER: ({ pagesFolder }) => (pagesFolder === undefined ? 'not set' : 'set'),
  MAIL_URL: ({ mail }) => (mail === undefined ? 'not set' : relayText(mail.relay)),
  MAIL_FROM: ({ mail }) => mail && [mail.from.name, `<${mail.from.address}>`].join(' ').trim(),
  MAIL_CONTACT: ({ mail }) => mail?.contact,
  MAIL_EXTRA: ({ mail }) => mail && (mail.extra.join(' ') || 'not set'),
  MAIL_CONNECTIONS: 'own',
  THROTTLE_MAILS: ({ mail, throttle }) => mail && throttle.mailsPerHour,
}
