import type { Store } from '../../../application/ports/store.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { forAnyOrigin } from '../operation/cross-origin.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { applicationTokenRoute } from './application-token.ts'
import { attributesRoutes } from './attributes.ts'
import { changePasswordRoute } from './change-password.ts'
import { completeEmailConfirmationRoute, startEmailConfirmationRoute } from './email-confirmation.ts'
import { eventsRoute } from './events.ts'
import { factorRoutes } from './factors.ts'
import { healthRoute, readinessRoute } from './health.ts'
import { identityLinkRoutes } from './identity-link.ts'
import { identitySignInRoutes } from './identity-sign-in.ts'
import { jwksRoute, openidJwksRoute, pasetoKeysRoute, userJwksRoute } from './key-sets.ts'
import { mailLinkRoutes } from './mail-links.ts'
import { manageUserRoutes } from './manage-users.ts'
import { passkeyEnrolmentRoutes } from './passkey-enrolment.ts'
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
import { showUserRoute } from './show-user.ts'
import { stepUpRoute } from './step-up.ts'
import { totpEnrolmentRoutes } from './totp-enrolment.ts'
import { userRolesRoute } from './user-roles.ts'
import { userTokenRoute } from './user-token.ts'
import { usersRoute } from './users.ts'
import { vouchedSignInRoute } from './vouched-sign-in.ts'

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
    useCases: RequestUseCases
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
      vouchedSignInRoute(useCases),
      usersRoute({ ...useCases, policy }),
      searchUsersRoute(useCases),
      showUserRoute(useCases),
      passwordPolicyRoute({ policy }),
      ...manageUserRoutes(useCases),
      userRolesRoute(useCases),
      resetFactorsRoute(useCases),
      ...attributesRoutes(useCases),
      eventsRoute(useCases, { publicUrl, prefix }),
      startRecoveryRoute(useCases),
      completeRecoveryRoute({ ...useCases, policy }),
      startEmailConfirmationRoute(useCases),
      completeEmailConfirmationRoute(useCases),
      ...(useCases.mailLinks === undefined ? [] : mailLinkRoutes(useCases.authenticate, useCases.mailLinks)),
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
      ...(useCases.identities === undefined
        ? []
        : [
            ...identitySignInRoutes(useCases.authenticate, useCases.identities),
            ...identityLinkRoutes(useCases.authenticate, useCases.identities),
          ]),
      removeOwnAccountRoute(useCases),
      checkpointRoute({ ...useCases, hasLogKey }),
      tileRoute(useCases),
      jwksRoute(useCases),
      pasetoKeysRoute(useCases),
      userJwksRoute(useCases),
      ...(useCases.openid === undefined ? [] : [forAnyOrigin(openidJwksRoute(useCases.openid))]),
    ]),
    healthRoute,
    readinessRoute({ ...useCases, store, isDraining }),
  ]

type PasskeyUseCases = NonNullable<RequestUseCases['passkeys']>

const passkeyRoutes = (authenticate: Authenticate, passkeys: PasskeyUseCases): ReadonlyArray<Route> => [
  ...passkeySignInRoutes(authenticate, passkeys),
  ...passkeyOptionsRoutes(authenticate, passkeys),
  ...(passkeys.enrol === undefined ? [] : passkeyEnrolmentRoutes(authenticate, passkeys.enrol)),
]
