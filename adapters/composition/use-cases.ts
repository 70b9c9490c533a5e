import { authenticateByKeys } from '../../application/authenticate-by-keys.ts'
import { changePassword } from '../../application/change-password.ts'
import { changePasswordByEmail } from '../../application/change-password-by-email.ts'
import { completeEmailConfirmation } from '../../application/complete-email-confirmation.ts'
import { completeRecovery } from '../../application/complete-recovery.ts'
import { endOtherSessions } from '../../application/end-other-sessions.ts'
import { endSession } from '../../application/end-session.ts'
import { introspect } from '../../application/introspect.ts'
import { issueApplicationToken } from '../../application/issue-application-token.ts'
import { publishedKeys } from '../../application/keys/published-keys.ts'
import { publishedUserKeys } from '../../application/keys/published-user-keys.ts'
import { listSessions } from '../../application/list-sessions.ts'
import { manageUser } from '../../application/manage-users.ts'
import { readFeed } from '../../application/read-feed.ts'
import { registerUser } from '../../application/register-user.ts'
import { rehash } from '../../application/rehash.ts'
import { removeOwnAccount } from '../../application/remove-own-account.ts'
import { revokeToken } from '../../application/revoke-token.ts'
import { searchUsers } from '../../application/search-users.ts'
import { signIn } from '../../application/sign-in.ts'
import { signOut } from '../../application/sign-out.ts'
import { startEmailConfirmation } from '../../application/start-email-confirmation.ts'
import { startRecovery } from '../../application/start-recovery.ts'
import { evenTiming } from '../../application/throttling/even-timing.ts'
import { slowestSchemes } from '../../application/throttling/slowest-schemes.ts'
import { tokenLimit } from '../../application/throttling/token-limit.ts'
import { authentication } from './authentication.ts'
import { Dependency } from './dependencies.ts'
import { integrating, publishing } from './history.ts'
import { type Module, provide } from './provide.ts'
import { cleaning, feeding, recording, steadying } from './recording.ts'

/** The use cases of the HTTP routes. */
export const useCases: ReadonlyArray<Module> = [
  ...recording,
  steadying,
  cleaning,
  integrating,
  publishing,
  ...feeding,
  ...authentication,
  provide(
    Dependency.evenTiming,
    {
      store: Dependency.store,
      hasher: Dependency.passwordHasher,
      background: Dependency.background,
      timer: Dependency.timer,
    },
    (needs) => evenTiming({ ...needs, schemes: slowestSchemes(needs) }),
  ),
  provide(
    Dependency.apiUseCases,
    {
      authenticate: Dependency.authenticate,
      authenticateApplication: Dependency.authenticateApplication,
      background: Dependency.background,
      clock: Dependency.clock,
      digests: Dependency.digests,
      evenTiming: Dependency.evenTiming,
      findWeakness: Dependency.findWeakness,
      formats: Dependency.formats,
      hasher: Dependency.passwordHasher,
      keyring: Dependency.keyring,
      publishedLog: Dependency.publishedLog,
      logWaiters: Dependency.logWaiters,
      prunedThrough: Dependency.prunedThrough,
      random: Dependency.random,
      record: Dependency.recorder,
      refusals: Dependency.refusals,
      settings: Dependency.settings,
      store: Dependency.store,
      throttle: Dependency.throttle,
      timer: Dependency.timer,
    },
    (needs) => {
      const { application, user } = needs.formats
      const settings = { ...needs.settings, issuer: needs.settings.publicUrl }
      return {
        authenticate: needs.authenticate,
        changePassword: changePassword(needs),
        completeEmailConfirmation: completeEmailConfirmation(needs),
        completeRecovery: completeRecovery(needs),
        endOtherSessions: endOtherSessions(needs),
        endSession: endSession(needs),
        issueApplicationToken: issueApplicationToken({
          ...needs,
          tokens: application,
          tokenLimit: tokenLimit({ ...needs, ...needs.settings.throttle }),
          settings,
        }),
        listSessions: listSessions(needs),
        manageUser: manageUser(needs),
        publishedLog: needs.publishedLog,
        publishedKeys: publishedKeys({ ...needs, tokens: application }),
        publishedUserKeys: publishedUserKeys({ ...needs, tokens: user }),
        readFeed: readFeed({ ...needs, waiters: needs.logWaiters }),
        registerUser: registerUser(needs),
        removeOwnAccount: removeOwnAccount(needs),
        searchUsers: searchUsers(needs),
        signIn: signIn({
          ...needs,
          tokens: user,
          rehash: rehash(needs),
          settings,
        }),
        signOut: signOut(needs),
        startEmailConfirmation: startEmailConfirmation(needs),
        startRecovery: startRecovery(needs),
      }
    },
  ),
  provide(
    Dependency.oauthUseCases,
    {
      api: Dependency.apiUseCases,
      authenticateApplication: Dependency.authenticateApplication,
      validateToken: Dependency.validateToken,
      store: Dependency.store,
      clock: Dependency.clock,
      record: Dependency.recorder,
    },
    ({ api: { authenticate, issueApplicationToken }, ...needs }) => ({
      authenticate,
      authenticateApplication: needs.authenticateApplication,
      authenticateByKeys: authenticateByKeys(needs),
      introspect: introspect(needs),
      issueApplicationToken,
      revokeToken: revokeToken(needs),
    }),
  ),
  provide(
    Dependency.pagesUseCases,
    {
      api: Dependency.apiUseCases,
      evenTiming: Dependency.evenTiming,
      findWeakness: Dependency.findWeakness,
      hasher: Dependency.passwordHasher,
      record: Dependency.recorder,
      refusals: Dependency.refusals,
      store: Dependency.store,
      throttle: Dependency.throttle,
    },
    ({ api: { completeRecovery, completeEmailConfirmation }, ...needs }) => ({
      changePasswordByEmail: changePasswordByEmail(needs),
      completeRecovery,
      completeEmailConfirmation,
    }),
  ),
]
