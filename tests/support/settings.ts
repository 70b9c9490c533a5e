import { isLeft } from 'fp-ts/lib/Either.js'
import { type Environment, type Settings, settingsFrom } from '../../adapters/config/settings.ts'

/** The public URL of the test service, and the issuer of its tokens. */
export const PUBLIC_URL = 'http://service.test'

/** Makes a service fast and quiet: cheap hashes, a large queue, no throttling, no log. */
export const CHEAP: Environment = {
  SCRYPT_LOG_N: '1',
  SCRYPT_P: '1',
  HASHING_WAIT: '600',
  THROTTLE_ACCOUNT_FAILURES: '1000000',
  THROTTLE_ADDRESS_FAILURES: '1000000',
  THROTTLE_SIGN_INS: '1000000',
  LOG_LEVEL: 'silent',
}

/** What pages require: their cookies are sealed, and for https. */
export const FOR_PAGES: Environment = {
  PUBLIC_URL: 'https://service.test',
  KEY_ENCRYPTION_KEY: `2026:${'key-encryption-key-of-tests-'.repeat(2)}`,
}

/** Cheap settings on memory storage, with the given settings on top. */
export const settings = (environment: Environment = {}): Settings => {
  const read = settingsFrom({
    ...CHEAP,
    DATABASE_URL: 'memory:',
    PUBLIC_URL,
    ...(environment.ACCOUNT_PAGES === 'on' && FOR_PAGES),
    ...environment,
  })
  if (isLeft(read)) throw new Error(read.left.join('; '))
  return read.right
}
