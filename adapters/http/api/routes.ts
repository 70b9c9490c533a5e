import type { ChangePassword } from '../../../application/accounts/change-password.ts'
import type { CompleteEmailConfirmation } from '../../../application/accounts/complete-email-confirmation.ts'
import type { CompleteRecovery } from '../../../application/accounts/complete-recovery.ts'
import type { ManageUser } from '../../../application/accounts/manage-users.ts'
import type { RegisterWithinLimit } from '../../../application/accounts/register-within-limit.ts'
import type { RemoveOwnAccount } from '../../../application/accounts/remove-own-account.ts'
import type { ResetFactors } from '../../../application/accounts/reset-factors.ts'
import type { SearchUsers } from '../../../application/accounts/search-users.ts'
import type { StartEmailConfirmation } from '../../../application/accounts/start-email-confirmation.ts'
import type { StartRecovery } from '../../../application/accounts/start-recovery.ts'
import type { IssueApplicationToken } from '../../../application/applications/issue-application-token.ts'
import type { ListFactors } from '../../../application/factors/list-factors.ts'
import type { RemoveFactor } from '../../../application/factors/remove-factor.ts'
import type { RenameFactor } from '../../../application/factors/rename-factor.ts'
import type { RenewRecoveryCodes } from '../../../application/factors/renew-recovery-codes.ts'
import type { PublishedKeys, PublishedUserKeys } from '../../../application/keys/published-keys.ts'
import type { PublishedLog } from '../../../application/log/published-log.ts'
import type { ReadFeed } from '../../../application/log/read-feed.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { CompleteSignIn } from '../../../application/sessions/complete-sign-in.ts'
import type { EndOtherSessions } from '../../../application/sessions/end-other-sessions.ts'
import type { EndSession } from '../../../application/sessions/end-session.ts'
import type { ListSessions } from '../../../application/sessions/list-sessions.ts'
import type { RenewSession } from '../../../application/sessions/renew-session.ts'
import type { SignIn } from '../../../application/sessions/sign-in.ts'
import type { SignOut } from '../../../application/sessions/sign-out.ts'
import type { StepUp } from '../../../application/sessions/step-up.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { applicationTokenRoute } from './application-token.ts'
import { changePasswordRoute } from './change-password.ts'
import { completeEmailConfirmationRoute, startEmailConfirmationRoute } from './email-confirmation.ts'
import { eventsRoute } from './events.ts'
import { factorRoutes } from './factors.ts'
import { healthRoute, readinessRoute } from './health.ts'
import { jwksRoute, pasetoKeysRoute, userJwksRoute } from './key-sets.ts'
import { manageUserRoutes } from './manage-users.ts'
import { type PasskeyEnrolmentUseCases, passkeyEnrolmentRoutes } from './passkey-enrolment.ts'
import { passkeyOptionsRoutes } from './passkey-options.ts'
import { passkeySignInRoutes } from './passkey-sign-in.ts'
import { passwordPolicyRoute } from './password-policy.ts'
import { profileRoute } from './profile.ts'
import { checkpointRoute, tileRoute } from './published-log.ts'
import { completeRecoveryRoute, startRecoveryRoute } from './recovery.ts'
import { removeOwnAccountRoute } from './remove-own-account.ts'
import { renewUserTokenRoute } from './renew-user-token.ts'
import { resetFactorsRoute } from './reset-factors.ts'
import { searchUsersRoute } from './search-users.ts'
import { secondFactorRoute } from './second-factor.ts'
import { endOtherSessionsRoute, endSessionRoute, sessionsRoute } from './sessions.ts'
import { stepUpRoute } from './step-up.ts'
import { type TotpEnrolmentUseCases, totpEnrolmentRoutes } from './totp-enrolment.ts'
import { userTokenRoute } from './user-token.ts'
import { usersRoute } from './users.ts'

/** The use cases of the routes. */
export type ApiUseCases = Readonly<{
  authenticate: Authenticate
  changePassword: ChangePassword
  completeEmailConfirmation: CompleteEmailConfirmation
  completeRecovery: CompleteRecovery
  completeSignIn: CompleteSignIn
  endOtherSessions: EndOtherSessions
  endSession: EndSession
  issueApplicationToken: IssueApplicationToken
  /** Undefined if no user may enrol an authenticator app. */
  enrolTotp: TotpEnrolmentUseCases | undefined
  /** Undefined without a relying party. `enrol` is undefined if no user may enrol a passkey. */
  passkeys: PasskeyUseCases | undefined
  listFactors: ListFactors
  listSessions: ListSessions
  manageUser: ManageUser
  publishedKeys: PublishedKeys
  /** Undefined if the history of the store is not verifiable. */
  publishedLog: PublishedLog | undefined
  publishedUserJwks: PublishedKeys
  publishedUserKeys: PublishedUserKeys
  readFeed: ReadFeed
  registerUser: RegisterWithinLimit
  removeFactor: RemoveFactor
  removeOwnAccount: RemoveOwnAccount
  renameFactor: RenameFactor
  renewRecoveryCodes: RenewRecoveryCodes
  resetFactors: ResetFactors
  searchUsers: SearchUsers
  renewSession: RenewSession
  signIn: SignIn
  signOut: SignOut
  startEmailConfirmation: StartEmailConfirmation
  startRecovery: StartRecovery
  stepUp: StepUp
}>

/**
 * The routes of the API.
 *
 * @param publicUrl names the log in the feed
 * @param prefix the path part of the public URL; health checks do not have it
 * @param hasLogKey whether a key signs checkpoints
 * @param policy decides which new passwords the routes refuse
 */
export const apiRoutes =
  ({
    useCases,
    store,
    publicUrl,
    prefix,
    hasLogKey,
    policy,
  }: Readonly<{
    useCases: ApiUseCases
    store: Pick<Store, 'listSigningKeys' | 'checkWritable'>
    publicUrl: string
    prefix: string
    hasLogKey: boolean
    policy: PasswordPolicy
  }>) =>
  (isDraining: () => boolean): ReadonlyArray<Route> => [
    ...withPrefix(prefix, [
      applicationTokenRoute(useCases),
      userTokenRoute(useCases),
      secondFactorRoute(useCases),
      renewUserTokenRoute(useCases),
      usersRoute({ ...useCases, policy }),
      searchUsersRoute(useCases),
      passwordPolicyRoute({ policy }),
      ...manageUserRoutes(useCases),
      resetFactorsRoute(useCases),
      eventsRoute(useCases, { publicUrl, prefix }),
      startRecoveryRoute(useCases),
      completeRecoveryRoute({ ...useCases, policy }),
      startEmailConfirmationRoute(useCases),
      completeEmailConfirmationRoute(useCases),
      profileRoute(useCases),
      changePasswordRoute({ ...useCases, policy }),
      stepUpRoute(useCases),
      sessionsRoute(useCases),
      endSessionRoute(useCases),
      endOtherSessionsRoute(useCases),
      ...factorRoutes(useCases),
      ...(useCases.enrolTotp === undefined
        ? []
        : totpEnrolmentRoutes(useCases.authenticate, useCases.enrolTotp)),
      ...(useCases.passkeys === undefined ? [] : passkeyRoutes(useCases.authenticate, useCases.passkeys)),
      removeOwnAccountRoute(useCases),
      checkpointRoute({ ...useCases, hasLogKey }),
      tileRoute(useCases),
      jwksRoute(useCases),
      pasetoKeysRoute(useCases),
      userJwksRoute(useCases),
    ]),
    healthRoute,
    readinessRoute({ ...useCases, store, isDraining }),
  ]

type PasskeyUseCases = Parameters<typeof passkeySignInRoutes>[1] &
  Parameters<typeof passkeyOptionsRoutes>[1] &
  Readonly<{ enrol: PasskeyEnrolmentUseCases | undefined }>

const passkeyRoutes = (authenticate: Authenticate, passkeys: PasskeyUseCases): ReadonlyArray<Route> => [
  ...passkeySignInRoutes(authenticate, passkeys),
  ...passkeyOptionsRoutes(authenticate, passkeys),
  ...(passkeys.enrol === undefined ? [] : passkeyEnrolmentRoutes(authenticate, passkeys.enrol)),
]
