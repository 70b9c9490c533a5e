import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { changeAttributes, changeOwnAttributes } from '../accounts/change-attributes.ts'
import { changePassword } from '../accounts/change-password.ts'
import { changeRoles } from '../accounts/change-roles.ts'
import { completeEmailConfirmation } from '../accounts/complete-email-confirmation.ts'
import { completeRecovery } from '../accounts/complete-recovery.ts'
import { mailEmail, needsProofForEmail } from '../accounts/mail-email.ts'
import { mailRecovery } from '../accounts/mail-recovery.ts'
import { manageUser } from '../accounts/manage-users.ts'
import { registerUser } from '../accounts/register-user.ts'
import { registerWithinLimit } from '../accounts/register-within-limit.ts'
import { removeOwnAccount } from '../accounts/remove-own-account.ts'
import { resetFactors } from '../accounts/reset-factors.ts'
import { searchUsers } from '../accounts/search-users.ts'
import { showUser } from '../accounts/show-user.ts'
import { startEmailConfirmation } from '../accounts/start-email-confirmation.ts'
import { startRecovery } from '../accounts/start-recovery.ts'
import { authenticateApplication } from '../applications/authenticate-application.ts'
import { authenticateByKeys } from '../applications/authenticate-by-keys.ts'
import { issueApplicationToken } from '../applications/issue-application-token.ts'
import { completeIdentityLink } from '../factors/complete-identity-link.ts'
import { completePasskeyEnrolment } from '../factors/complete-passkey-enrolment.ts'
import { completeTotpEnrolment } from '../factors/complete-totp-enrolment.ts'
import type { Identities } from '../factors/identity-transaction.ts'
import { listFactors } from '../factors/list-factors.ts'
import type { Passkeys } from '../factors/passkey-ceremony.ts'
import { removeFactor } from '../factors/remove-factor.ts'
import { renameFactor } from '../factors/rename-factor.ts'
import { renewRecoveryCodes } from '../factors/renew-recovery-codes.ts'
import { startIdentityLink, startIdentitySignIn, startIdentityStepUp } from '../factors/start-identity.ts'
import { startPasskeyEnrolment } from '../factors/start-passkey-enrolment.ts'
import { resumeTotpEnrolment, startTotpEnrolment } from '../factors/start-totp-enrolment.ts'
import { currentIdTokenKeys } from '../keys/id-token-keys.ts'
import type { CurrentKeyring, Formats } from '../keys/keyring.ts'
import { publishedIdTokenKeys, publishedKeys, publishedUserKeys } from '../keys/published-keys.ts'
import { signUserToken } from '../keys/sign-user-token.ts'
import type { LogWaiters } from '../log/log-waiters.ts'
import type { PublishedLog } from '../log/published-log.ts'
import { readFeed } from '../log/read-feed.ts'
import type { RequestMails } from '../mail/request-mails.ts'
import type { EvenTiming } from '../passwords/even-timing.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import type { Background } from '../ports/background.ts'
import type { Clock, Digests, Random, Timer } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { Recorder } from '../recording/recorder.ts'
import { authenticate } from '../sessions/authenticate.ts'
import { completeSignIn } from '../sessions/complete-sign-in.ts'
import { endOtherSessions } from '../sessions/end-other-sessions.ts'
import { endSession } from '../sessions/end-session.ts'
import { completeIdentitySignIn } from '../sessions/identity-sign-in.ts'
import { introspect } from '../sessions/introspect.ts'
import { listSessions } from '../sessions/list-sessions.ts'
import { completePasskeySignIn, startPasskeySignIn } from '../sessions/passkey-sign-in.ts'
import { rehash } from '../sessions/rehash.ts'
import { renewSession } from '../sessions/renew-session.ts'
import { revokeToken } from '../sessions/revoke-token.ts'
import { signIn } from '../sessions/sign-in.ts'
import { signOut } from '../sessions/sign-out.ts'
import { startPasskeySecondStep, startPasskeyStepUp } from '../sessions/start-assertion.ts'
import { stepUp } from '../sessions/step-up.ts'
import { validateToken } from '../sessions/validate-token.ts'
import { signInVouched } from '../sessions/vouched-sign-in.ts'
import { callerFailed, type Throttle } from '../throttling/throttle.ts'
import { tokenLimit } from '../throttling/token-limit.ts'

/** What the use cases of requests need, each by one name. */
export type NeededByRequests = Readonly<{
  background: Background
  clock: Clock
  digests: Digests
  evenTiming: EvenTiming
  findWeakness: FindWeakness
  formats: Formats
  hasher: PasswordHasher
  /** Undefined without identity providers. */
  identities: Identities | undefined
  keyring: CurrentKeyring
  logWaiters: LogWaiters
  /** Undefined if the service mails no links. */
  mails: RequestMails | undefined
  /** Whether changes of an account cause mails. */
  mailsNotices: boolean
  /** Undefined without a relying party. */
  passkeys: Passkeys | undefined
  /** Undefined if the history of the store is not verifiable. */
  publishedLog: PublishedLog | undefined
  random: Random
  record: Recorder
  refusals: Refusals
  /** Undefined without a key-encryption key. */
  sealing: Sealing | undefined
  settings: RequestSettings
  store: Store
  throttle: Throttle
  timer: Timer
  wrapping: KeyWrapping
}>

export type RequestSettings = LifetimeSettings &
  Readonly<{
    issuer: string
    /** Apps and browsers show it beside the account. */
    serviceName: string
    applicationTokenTtlSeconds: number
    recoveryTtlSeconds: number
    emailConfirmationTtlSeconds: number
    userTokenFormat: UserTokenFormat
    /** Whether users can enrol second factors. */
    secondFactors: boolean
    /** Whether the service is an OpenID provider. */
    openid: boolean
    /** Whether the identity of a stranger makes a new user. */
    identityRegistration: boolean
    throttle: Readonly<{ tokensPerMinute: number; registrationsPerHour: number }>
  }>

/** Every use case of a request, by its name for the routes and the pages. */
export type RequestUseCases = ReturnType<typeof requestUseCases>

export const requestUseCases = (given: NeededByRequests) => {
  const checking = {
    ...given,
    callerFailed: callerFailed(given.throttle),
    validateToken: validateToken({ ...given, issuer: given.settings.issuer }),
  }
  const needed = {
    ...checking,
    authenticate: authenticate(checking),
    authenticateApplication: authenticateApplication(checking),
  }
  const { identities, mails, passkeys, sealing, settings } = needed
  const { application, user, user_jwt, id_token } = needed.formats
  const issuing = {
    ...needed,
    tokens: application,
    tokenLimit: tokenLimit({ ...needed, ...settings.throttle }),
  }
  const signing = { ...issuing, signUserToken: signUserToken(issuing) }
  const forFactors = settings.secondFactors && sealing ? { ...signing, sealing } : undefined
  return {
    authenticate: needed.authenticate,
    authenticateApplication: needed.authenticateApplication,
    authenticateByKeys: authenticateByKeys(needed),
    changeAttributes: changeAttributes(needed),
    changeOwnAttributes: changeOwnAttributes(needed),
    changePassword: changePassword(needed),
    changeRoles: changeRoles(needed),
    completeEmailConfirmation: completeEmailConfirmation(needed),
    completeRecovery: completeRecovery(needed),
    completeSignIn: completeSignIn(signing),
    endOtherSessions: endOtherSessions(needed),
    endSession: endSession(needed),
    /** Undefined if no user may enrol an authenticator app. */
    enrolTotp: forFactors && {
      start: startTotpEnrolment(forFactors),
      resume: resumeTotpEnrolment(forFactors),
      complete: completeTotpEnrolment(forFactors),
    },
    /** Undefined without identity providers. */
    identities: identities && {
      startSignIn: startIdentitySignIn({ ...signing, identities }),
      completeSignIn: completeIdentitySignIn({ ...signing, identities }),
      startLink: startIdentityLink({ ...signing, identities }),
      completeLink: completeIdentityLink({ ...signing, identities }),
      startStepUp: startIdentityStepUp({ ...signing, identities }),
    },
    introspect: introspect(needed),
    issueApplicationToken: issueApplicationToken(issuing),
    listFactors: listFactors(needed),
    listSessions: listSessions(needed),
    /** Undefined if the service mails no links. */
    mailLinks: mails && {
      recovery: mailRecovery({ ...needed, mails }),
      email: mailEmail({ ...needed, mails }),
      needsProofForEmail: needsProofForEmail(needed),
    },
    manageUser: manageUser(needed),
    /** Undefined if the service is no OpenID provider. */
    openid: settings.openid
      ? {
          idTokenKeys: currentIdTokenKeys({ ...needed, tokens: id_token }),
          publishedIdTokenKeys: publishedIdTokenKeys({ ...needed, tokens: id_token }),
        }
      : undefined,
    /** Undefined without a relying party. */
    passkeys: passkeys && {
      startSignIn: startPasskeySignIn({ ...signing, passkeys }),
      completeSignIn: completePasskeySignIn({ ...signing, passkeys }),
      startSecondStep: startPasskeySecondStep({ ...signing, passkeys }),
      startStepUp: startPasskeyStepUp({ ...signing, passkeys }),
      /** Undefined if no user may enrol a passkey. */
      enrol: settings.secondFactors
        ? {
            start: startPasskeyEnrolment({ ...signing, passkeys }),
            complete: completePasskeyEnrolment({ ...signing, passkeys }),
          }
        : undefined,
    },
    publishedLog: needed.publishedLog,
    publishedKeys: publishedKeys('application', issuing),
    publishedUserJwks: publishedKeys('user_jwt', { ...needed, tokens: user_jwt }),
    publishedUserKeys: publishedUserKeys({ ...needed, tokens: user }),
    readFeed: readFeed({ ...needed, waiters: needed.logWaiters }),
    registerUser: registerWithinLimit({
      ...needed,
      ...settings.throttle,
      registerUser: registerUser(needed),
    }),
    removeFactor: removeFactor(needed),
    removeOwnAccount: removeOwnAccount(needed),
    renameFactor: renameFactor(needed),
    renewRecoveryCodes: renewRecoveryCodes(needed),
    renewSession: renewSession(signing),
    resetFactors: resetFactors(needed),
    revokeToken: revokeToken(needed),
    searchUsers: searchUsers(needed),
    showUser: showUser(needed),
    signIn: signIn({ ...signing, rehash: rehash(needed) }),
    signInVouched: signInVouched(signing),
    signOut: signOut(needed),
    startEmailConfirmation: startEmailConfirmation(needed),
    startRecovery: startRecovery(needed),
    stepUp: stepUp(signing),
  }
}
