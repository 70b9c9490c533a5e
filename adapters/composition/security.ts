import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, none, some } from 'fp-ts/lib/Option.js'
import { fromReadonlyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadPasswordRecord } from '../../application/accounts/import-users.ts'
import { currentKeyring } from '../../application/keys/keyring.ts'
import { isUndecryptable } from '../../application/keys/usable-keys.ts'
import { findWeakness } from '../../application/passwords/find-weakness.ts'
import { asPorts, withRules } from '../../application/passwords/password-rules.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LeakedPasswords } from '../../application/ports/password-strength.ts'
import { throttle } from '../../application/throttling/throttle.ts'
import { printableOnLine } from '../cli/printable.ts'
import { moduleUrl } from '../config/files/program-files.ts'
import { FIRST_RUN_ID } from '../config/key-beside-store.ts'
import { quoted } from '../config/setting.ts'
import { type Settings, serviceNames, WrongSettings } from '../config/settings.ts'
import { withForeignPasswords } from '../credentials/foreign-passwords/password-hasher.ts'
import { readPasswordRecord } from '../credentials/foreign-passwords/record.ts'
import { timeBoundedQueue } from '../credentials/hashing/queue.ts'
import { jwtApplicationTokens } from '../credentials/jwt/application-tokens.ts'
import { rsaIdTokenKeys } from '../credentials/jwt/id-token-keys.ts'
import { JWT_PREFIX } from '../credentials/jwt/jwt.ts'
import { jwtUserTokens } from '../credentials/jwt/user-tokens.ts'
import { leakedList } from '../credentials/leaked-list/list.ts'
import { PASETO_PREFIX, pasetoUserTokens } from '../credentials/paseto/user-tokens.ts'
import { loadPasskeyVerifier } from '../credentials/passkeys/verifier.ts'
import { estimateMs } from '../credentials/scrypt/durations.ts'
import { isOwnRecord, ownRecordReader } from '../credentials/scrypt/own-record.ts'
import { queuedScryptHasher } from '../credentials/scrypt/password-hasher.ts'
import { withTokenCache } from '../credentials/signing/token-cache.ts'
import { zxcvbnEstimator } from '../credentials/zxcvbn/estimator.ts'
import { aesKeyWrapping } from '../node/key-wrapping.ts'
import { aesSealing } from '../node/sealing.ts'
import { observedPasskeyVerifier, type WrongOrigin } from '../observing/instrumentation/passkey-verifier.ts'
import type { Meters } from '../observing/prometheus/meters.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** The look-up of a service without a list. */
const NO_LEAKED_LIST: LeakedPasswords = () => TE.right(false)

/** Passwords, tokens, signing keys and throttling. */
export const security: ReadonlyArray<Module> = [
  provide(Dependency.passwordHasher, needs('settings'), ({ settings }) => standardPasswordHasher(settings)),
  provide(Dependency.leakedPasswords, needs('settings'), ({ settings }) => {
    const { leakedPasswordsFile: file, passwordPolicy } = settings
    if (file === undefined) return NO_LEAKED_LIST
    const list = leakedList(file, passwordPolicy)
    if (E.isLeft(list)) throw new Error(`PASSWORD_LEAKED_FILE=${quoted(file)}: ${list.left}.`)
    return list.right
  }),
  provide(Dependency.passwordEstimator, () =>
    zxcvbnEstimator({ script: moduleUrl('credentials/zxcvbn/thread') }),
  ),
  provide(Dependency.passwordRules, () => []),
  provide(
    Dependency.passwordPolicy,
    { ...needs('settings', 'passwordRules'), leaked: Dependency.leakedPasswords },
    ({ settings, passwordRules, leaked }) => {
      const hasLeakedList = leaked !== NO_LEAKED_LIST
      const policy = withRules({ ...settings.passwordPolicy, hasLeakedList }, passwordRules)
      if (E.isLeft(policy)) throw new WrongSettings(policy.left)
      return policy.right
    },
  ),
  provide(
    Dependency.findWeakness,
    {
      ...needs('settings', 'passwordRules'),
      policy: Dependency.passwordPolicy,
      leaked: Dependency.leakedPasswords,
      estimator: Dependency.passwordEstimator,
    },
    ({ settings, passwordRules, ...needed }) =>
      findWeakness({ ...needed, services: serviceNames(settings), rules: asPorts(passwordRules) }),
  ),
  provide(Dependency.applicationTokens, needs('meters'), ({ meters }) =>
    withTokenCache(jwtApplicationTokens(), {
      prefix: JWT_PREFIX,
      onLookUp: (isKnown) => meters.tokenLookedUp('application', isKnown),
    }),
  ),
  provide(Dependency.userTokens, needs('meters'), ({ meters }) =>
    withTokenCache(pasetoUserTokens(), ofUsers(meters, PASETO_PREFIX)),
  ),
  provide(Dependency.userJwts, needs('meters'), ({ meters }) =>
    withTokenCache(jwtUserTokens(), ofUsers(meters, JWT_PREFIX)),
  ),
  provide(Dependency.idTokenKeys, () => rsaIdTokenKeys()),
  provide(
    Dependency.formats,
    {
      application: Dependency.applicationTokens,
      user: Dependency.userTokens,
      user_jwt: Dependency.userJwts,
      id_token: Dependency.idTokenKeys,
    },
    (formats) => formats,
  ),
  provide(Dependency.keyWrapping, needs('settings'), ({ settings: { keyEncryptionKeys } }) =>
    aesKeyWrapping(keyEncryptionKeys),
  ),
  provide(Dependency.sealing, needs('settings', 'timer'), ({ settings: { keyEncryptionKeys }, timer }) =>
    pipe(
      fromReadonlyArray(keyEncryptionKeys),
      map((keys) => aesSealing(keys, timer)),
    ),
  ),
  provide(Dependency.passkeyVerifier, needs('settings', 'clock', 'log'), async ({ settings, clock, log }) => {
    if (settings.passkeyRpId === undefined) return none
    const report = (wrong: WrongOrigin) =>
      log.warn(wrong, 'a passkey was used at an origin that is not permitted')
    return some(observedPasskeyVerifier(await loadPasskeyVerifier(), { clock, report }))
  }),
  provide(
    Dependency.keyring,
    {
      ...needs('store', 'formats', 'clock', 'steadyClock', 'background', 'announcements', 'settings'),
      wrapping: Dependency.keyWrapping,
      record: Dependency.recorder,
    },
    async (needed) => {
      const keyring = currentKeyring(needed)
      const opened = await keyring()
      if (E.isRight(opened)) return keyring
      const { reason } = opened.left
      const isWrongKey = await isUndecryptable(needed, reason)
      await needed.announcements.close() // an open listener would keep the process alive
      await needed.store.close()
      const advice = reason.includes(` ${FIRST_RUN_ID}`) ? KEY_OF_FIRST_RUN : ''
      const sentence = `The signing keys cannot be read: ${printableOnLine(reason)}.${advice}`
      throw isWrongKey ? new WrongSettings(sentence) : new Error(sentence) // a restart helps only an unavailable store
    },
  ),
  provide(
    Dependency.throttle,
    { ...needs('clock', 'digests', 'settings'), counts: Dependency.failureCounts },
    ({ settings, ...needed }) => throttle({ ...needed, limits: settings.throttle }),
  ),
]

const KEY_OF_FIRST_RUN =
  ' The first run has put this key into the file key-encryption-key beside the store. Copy that file too, or set KEY_ENCRYPTION_KEY_FILE to it.'

const ofUsers = ({ tokenLookedUp }: Meters, prefix: string) => ({
  prefix,
  keepsSigned: true,
  onLookUp: (isKnown: boolean) => tokenLookedUp('user', isKnown),
})

/** The hasher of the service: scrypt for new records, and the algorithms of imported ones. */
export const standardPasswordHasher = ({
  scrypt,
  hashing,
  peppers,
}: Pick<Settings, 'scrypt' | 'hashing' | 'peppers'>): PasswordHasher => {
  const queue = timeBoundedQueue(hashing, estimateMs(scrypt))
  return withForeignPasswords(queuedScryptHasher(queue, scrypt, peppers), queue)
}

/** What imports read: records of this service, and those of other systems. */
export const passwordRecordReader = ({ scrypt }: Pick<Settings, 'scrypt'>): ReadPasswordRecord => {
  const readOwn = ownRecordReader(scrypt)
  return (text) => (isOwnRecord(text) ? readOwn(text) : readPasswordRecord(text))
}
