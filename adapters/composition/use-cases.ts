import { changePassword } from '../../application/accounts/change-password.ts'
import { changePasswordByEmail } from '../../application/accounts/change-password-by-email.ts'
import { completeEmailConfirmation } from '../../application/accounts/complete-email-confirmation.ts'
import { completeRecovery } from '../../application/accounts/complete-recovery.ts'
import { manageUser } from '../../application/accounts/manage-users.ts'
import { registerUser } from '../../application/accounts/register-user.ts'
import { removeOwnAccount } from '../../application/accounts/remove-own-account.ts'
import { searchUsers } from '../../application/accounts/search-users.ts'
import { startEmailConfirmation } from '../../application/accounts/start-email-confirmation.ts'
import { startRecovery } from '../../application/accounts/start-recovery.ts'
import { authenticateByKeys } from '../../application/applications/authenticate-by-keys.ts'
import { issueApplicationToken } from '../../application/applications/issue-application-token.ts'
import { publishedKeys, publishedUserKeys } from '../../application/keys/published-keys.ts'
import { readFeed } from '../../application/log/read-feed.ts'
import { endOtherSessions } from '../../application/sessions/end-other-sessions.ts'
import { endSession } from '../../application/sessions/end-session.ts'
import { introspect } from '../../application/sessions/introspect.ts'
import { listSessions } from '../../application/sessions/list-sessions.ts'
import { rehash } from '../../application/sessions/rehash.ts'
import { revokeToken } from '../../application/sessions/revoke-token.ts'
import { signIn } from '../../application/sessions/sign-in.ts'
import { signOut } from '../../application/sessions/sign-out.ts'
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
