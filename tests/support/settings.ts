import { isLeft } from 'fp-ts/lib/Either.js'
import { type Environment, type Settings, settingsFrom } from '../../adapters/config/settings.ts'

/** Where the tests' service says it is. Its tokens name it as their issuer. */
export const PUBLIC_URL = 'http://service.test'

/** What makes a service quick and quiet: hashes that cost nothing, a queue that refuses none, failures that nobody minds, no log. */
export const CHEAP: Environment = {
  SCRYPT_LOG_N: '1',
  SCRYPT_P: '1',
  HASHING_WAIT: '600',
  THROTTLE_ACCOUNT_FAILURES: '1000000',
  THROTTLE_ADDRESS_FAILURES: '1000000',
  LOG_LEVEL: 'silent',
}

/** Cheap settings on memory storage, with what a test is about laid over them. */
export const settings = (environment: Environment = {}): Settings => {
  const read = settingsFrom({ ...CHEAP, DATABASE_URL: 'memory:', PUBLIC_URL, ...environment })
  if (isLeft(read)) throw new Error(read.left.join('; '))
  return read.right
}
