import { firstRun } from '../../application/accounts/first-run.ts'
import { importUsers, rehearseImport } from '../../application/accounts/import-users.ts'
import {
  disableUser,
  enableUser,
  endUserSessions,
  removeUser,
} from '../../application/accounts/manage-users.ts'
import { registerUser } from '../../application/accounts/register-user.ts'
import { setPassword } from '../../application/accounts/set-password.ts'
import { registerApplication } from '../../application/applications/register-application.ts'
import { revokeApplication } from '../../application/applications/revoke-application.ts'
import { rotateApplicationKey } from '../../application/applications/rotate-application-key.ts'
import { rotateKeys } from '../../application/keys/rotate-keys.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { renewLog } from '../../application/log/renew-log.ts'
import { Dependency } from './dependencies.ts'
import { historyOf } from './history.ts'
import { readPasswordRecord } from './password-hasher.ts'
import { type Module, provide } from './provide.ts'
import { policyWith } from './security.ts'

/** The use cases of the command line. */
export const operations: Module = provide(
  Dependency.operations,
  {
    clock: Dependency.clock,
    digests: Dependency.digests,
    estimator: Dependency.passwordEstimator,
    failureCounts: Dependency.failureCounts,
    findWeakness: Dependency.findWeakness,
    formats: Dependency.formats,
    hasher: Dependency.passwordHasher,
    random: Dependency.random,
    record: Dependency.recorder,
    rules: Dependency.passwordRules,
    settings: Dependency.settings,
    storage: Dependency.storage,
    store: Dependency.store,
    throttle: Dependency.throttle,
    timer: Dependency.timer,
    wrapping: Dependency.keyWrapping,
  },
  (needs) => {
    const { store, hasher, formats, wrapping, estimator, failureCounts } = needs
    const settings = { ...needs.settings, passwordPolicy: policyWith(needs.settings, needs.rules) }
    return {
      settings,
      store,
      serverNotes: needs.storage.serverNotes,
      passwordHasher: hasher,
      formats,
      keyWrapping: wrapping,
      registerApplication: registerApplication(needs),
      rotateApplicationKey: rotateApplicationKey(needs),
      revokeApplication: revokeApplication(needs),
      registerUser: registerUser(needs),
      importUsers: importUsers({ ...needs, readPasswordRecord }),
      rehearseImport: () => rehearseImport({ ...needs, readPasswordRecord }),
      setPassword: setPassword(needs),
      disableUser: disableUser(needs),
      enableUser: enableUser(needs),
      removeUser: removeUser(needs),
      endUserSessions: endUserSessions(needs),
      rotateKeys: rotateKeys({
        ...needs,
        tokenTtlSeconds: {
          application: settings.applicationTokenTtlSeconds,
          user: settings.userTokenTtlSeconds,
        },
      }),
      checkLog: checkLog(needs),
      renewLog: renewLog(needs),
      history: historyOf({ ...needs, settings }),
      firstRun: firstRun({ ...needs, policy: settings.passwordPolicy }),
      close: async () => {
        await estimator.close()
        await failureCounts.close()
        await store.close()
      },
    }
  },
)
