import * as E from 'fp-ts/lib/Either.js'
import { lefts } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { findWeakness } from '../../application/accounts/find-weakness.ts'
import { currentKeyring } from '../../application/keys/keyring.ts'
import { usableKey } from '../../application/keys/usable-keys.ts'
import { callerFailed, throttle } from '../../application/throttling/throttle.ts'
import { minimumOf, type PasswordPolicy } from '../../domain/password-policy.ts'
import { quoted } from '../config/setting.ts'
import { hostOf, type Settings, WrongSettings } from '../config/settings.ts'
import { JWT_PREFIX, jwtApplicationTokens } from '../credentials/jwt/application-tokens.ts'
import { leakedList, listProblem } from '../credentials/leaked-list/list.ts'
import { PASETO_PREFIX, pasetoUserTokens } from '../credentials/paseto/user-tokens.ts'
import { withTokenCache } from '../credentials/signing/token-cache.ts'
import { zxcvbnEstimator } from '../credentials/zxcvbn/estimator.ts'
import { aesKeyWrapping } from '../node/key-wrapping.ts'
import { Dependency } from './dependencies.ts'
import { standardPasswordHasher } from './password-hasher.ts'
import { asPorts, type PasswordRule } from './password-rules.ts'
import { type Module, provide } from './provide.ts'

/** Passwords, tokens, signing keys and throttling. */
export const security: ReadonlyArray<Module> = [
  provide(Dependency.passwordHasher, { settings: Dependency.settings }, ({ settings }) =>
    standardPasswordHasher(settings),
  ),
  provide(
    Dependency.leakedPasswords,
    { settings: Dependency.settings },
    ({ settings: { leakedPasswordsFile, passwordPolicy } }) => {
      if (leakedPasswordsFile === undefined) return () => TE.right(false)
      const list = leakedList(leakedPasswordsFile, minimumOf(passwordPolicy))
      if (E.isLeft(list))
        throw new Error(`PASSWORD_LEAKED_FILE=${quoted(leakedPasswordsFile)}: ${list.left}.`)
      return list.right
    },
  ),
  provide(Dependency.passwordEstimator, () => zxcvbnEstimator()),
  provide(Dependency.passwordRules, () => []),
  provide(
    Dependency.findWeakness,
    {
      rules: Dependency.passwordRules,
      settings: Dependency.settings,
      leaked: Dependency.leakedPasswords,
      estimator: Dependency.passwordEstimator,
    },
    ({ settings, leaked, estimator, rules }) =>
      findWeakness({
        policy: settings.passwordPolicy,
        services: [
          'portcullis',
          hostOf(settings),
          ...(settings.pages === undefined ? [] : [settings.pages.name]),
        ],
        leaked,
        estimator,
        rules: asPorts(rules),
      }),
  ),
  provide(Dependency.applicationTokens, { meters: Dependency.meters }, ({ meters: { tokenLookedUp } }) =>
    withTokenCache(jwtApplicationTokens(), {
      onLookUp: (isKnown) => tokenLookedUp('application', isKnown),
      prefix: JWT_PREFIX,
    }),
  ),
  provide(Dependency.userTokens, { meters: Dependency.meters }, ({ meters: { tokenLookedUp } }) =>
    withTokenCache(pasetoUserTokens(), {
      onLookUp: (isKnown) => tokenLookedUp('user', isKnown),
      prefix: PASETO_PREFIX,
    }),
  ),
  provide(
    Dependency.formats,
    { application: Dependency.applicationTokens, user: Dependency.userTokens },
    (formats) => formats,
  ),
  provide(Dependency.keyWrapping, { settings: Dependency.settings }, ({ settings: { keyEncryptionKeys } }) =>
    aesKeyWrapping(keyEncryptionKeys),
  ),
  provide(
    Dependency.keyring,
    {
      store: Dependency.store,
      formats: Dependency.formats,
      wrapping: Dependency.keyWrapping,
      clock: Dependency.clock,
      steadyClock: Dependency.steadyClock,
      record: Dependency.recorder,
      background: Dependency.background,
      announcements: Dependency.announcements,
    },
    async (needs) => {
      const keyring = currentKeyring(needs)
      const opened = await keyring()
      if (E.isRight(opened)) return keyring
      const { store, wrapping, announcements } = needs
      const { reason } = opened.left
      const stored = await store.listSigningKeys()()
      const undecryptable = E.isRight(stored) ? lefts(stored.right.map(usableKey(wrapping))) : []
      await announcements.close() // an open listener would keep the process alive
      await store.close()
      const sentence = `The signing keys cannot be read: ${reason}.`
      const isWrongKey = undecryptable.some((one) => one.reason === reason)
      throw isWrongKey ? new WrongSettings(sentence) : new Error(sentence) // a restart helps only an unavailable store
    },
  ),
  provide(
    Dependency.throttle,
    {
      counts: Dependency.failureCounts,
      clock: Dependency.clock,
      digests: Dependency.digests,
      settings: Dependency.settings,
    },
    ({ settings, ...needs }) => throttle({ ...needs, limits: settings.throttle }),
  ),
  provide(Dependency.callerFailed, { throttle: Dependency.throttle }, ({ throttle }) =>
    callerFailed(throttle),
  ),
]

/** The password policy of the settings, with the refusals of the rules. */
export const policyWith = (
  { passwordPolicy }: Settings,
  rules: ReadonlyArray<PasswordRule>,
): PasswordPolicy => ({ ...passwordPolicy, ruleRefusals: rules.map(({ refusal }) => refusal) })

/** One sentence for each unusable file that the settings name. */
export const wrongFiles = ({ leakedPasswordsFile }: Settings): ReadonlyArray<string> => {
  if (leakedPasswordsFile === undefined) return []
  const problem = listProblem(leakedPasswordsFile)
  return problem === undefined ? [] : [`PASSWORD_LEAKED_FILE=${quoted(leakedPasswordsFile)}: ${problem}`]
}
