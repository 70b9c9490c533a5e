import { isNone, none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { changePassword } from '../../application/accounts/change-password.ts'
import { changePasswordByEmail } from '../../application/accounts/change-password-by-email.ts'
import { completeEmailConfirmation } from '../../application/accounts/complete-email-confirmation.ts'
import { completePasswordChange } from '../../application/accounts/complete-password-change.ts'
import { completeRecovery } from '../../application/accounts/complete-recovery.ts'
import { exportUsers } from '../../application/accounts/export-users.ts'
import { firstRun } from '../../application/accounts/first-run.ts'
import { importUsers, rehearseImport } from '../../application/accounts/import-users.ts'
import {
  disableUser,
  enableUser,
  endUserSessions,
  manageUser,
  removeUser,
} from '../../application/accounts/manage-users.ts'
import { registerUser } from '../../application/accounts/register-user.ts'
import { registerWithinLimit } from '../../application/accounts/register-within-limit.ts'
import { removeOwnAccount } from '../../application/accounts/remove-own-account.ts'
import { resetFactors, resetNamedFactors } from '../../application/accounts/reset-factors.ts'
import { searchUsers } from '../../application/accounts/search-users.ts'
import { setPassword } from '../../application/accounts/set-password.ts'
import { startEmailConfirmation } from '../../application/accounts/start-email-confirmation.ts'
import { startRecovery } from '../../application/accounts/start-recovery.ts'
import { authenticateByKeys } from '../../application/applications/authenticate-by-keys.ts'
import { issueApplicationToken } from '../../application/applications/issue-application-token.ts'
import { registerApplication } from '../../application/applications/register-application.ts'
import { revokeApplication } from '../../application/applications/revoke-application.ts'
import { rotateApplicationKey } from '../../application/applications/rotate-application-key.ts'
import { setApplication } from '../../application/applications/set-application.ts'
import { setPasskeyOrigins } from '../../application/applications/set-passkey-origins.ts'
import { copyStore } from '../../application/copying/copy-store.ts'
import { completePasskeyEnrolment } from '../../application/factors/complete-passkey-enrolment.ts'
import { completeTotpEnrolment } from '../../application/factors/complete-totp-enrolment.ts'
import { enrolOnPage, enrolPasskeyOnPage } from '../../application/factors/enrol-on-page.ts'
import { listFactors } from '../../application/factors/list-factors.ts'
import { passkeysOn } from '../../application/factors/passkey-ceremony.ts'
import { provePasskey } from '../../application/factors/passkey-on-page.ts'
import { provePassword, proveSecondStep } from '../../application/factors/prove-on-page.ts'
import { removeFactor } from '../../application/factors/remove-factor.ts'
import { renameFactor } from '../../application/factors/rename-factor.ts'
import { renewRecoveryCodes } from '../../application/factors/renew-recovery-codes.ts'
import { securityPage } from '../../application/factors/security-page.ts'
import { startPasskeyEnrolment } from '../../application/factors/start-passkey-enrolment.ts'
import { resumeTotpEnrolment, startTotpEnrolment } from '../../application/factors/start-totp-enrolment.ts'
import { publishedKeys, publishedUserKeys } from '../../application/keys/published-keys.ts'
import { rotateKeys } from '../../application/keys/rotate-keys.ts'
import { signUserToken } from '../../application/keys/sign-user-token.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { checkStore } from '../../application/log/check-store.ts'
import { historyOf } from '../../application/log/history.ts'
import { readFeed } from '../../application/log/read-feed.ts'
import { renewLog } from '../../application/log/renew-log.ts'
import { evenTiming } from '../../application/passwords/even-timing.ts'
import { slowestSchemes } from '../../application/passwords/slowest-schemes.ts'
import { completeSignIn } from '../../application/sessions/complete-sign-in.ts'
import { endOtherSessions } from '../../application/sessions/end-other-sessions.ts'
import { endSession } from '../../application/sessions/end-session.ts'
import { introspect } from '../../application/sessions/introspect.ts'
import { listSessions } from '../../application/sessions/list-sessions.ts'
import { completePasskeySignIn, startPasskeySignIn } from '../../application/sessions/passkey-sign-in.ts'
import { rehash } from '../../application/sessions/rehash.ts'
import { renewSession } from '../../application/sessions/renew-session.ts'
import { revokeToken } from '../../application/sessions/revoke-token.ts'
import { signIn } from '../../application/sessions/sign-in.ts'
import { signOut } from '../../application/sessions/sign-out.ts'
import { startPasskeySecondStep, startPasskeyStepUp } from '../../application/sessions/start-assertion.ts'
import { stepUp } from '../../application/sessions/step-up.ts'
import { tokenLimit } from '../../application/throttling/token-limit.ts'
import { hostOf, pagesOriginOf, type Settings } from '../config/settings.ts'
import { loadKeyCheck } from '../credentials/passkeys/key-check.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { nodeTreeDigests } from '../node/environment.ts'
import { logFolder } from '../node/log-files.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'
import { passwordRecordReader } from './security.ts'

/** What most use cases need, except the keyring: only a service may make signing keys. */
const COMMON = {
  ...needs('clock', 'digests', 'findWeakness', 'random', 'settings', 'store', 'throttle', 'timer'),
  hasher: Dependency.passwordHasher,
  record: Dependency.recorder,
}

/** Apps and browsers show the product name of the pages, or the host, beside the account. */
const productName = (settings: Settings): string => settings.pages?.name ?? hostOf(settings)
const enrolmentSettings = (settings: Settings) => ({ serviceName: productName(settings) })

/** The use cases of the HTTP routes, of the pages and of the command line. */
export const useCases: ReadonlyArray<Module> = [
  provide(
    Dependency.evenTiming,
    { ...needs('store', 'background', 'timer'), hasher: Dependency.passwordHasher },
    (needed) => evenTiming({ ...needed, schemes: slowestSchemes(needed) }),
  ),
  provide(
    Dependency.passkeys,
    { ...needs('sealing', 'settings'), verifier: Dependency.passkeyVerifier },
    ({ settings, sealing, verifier }) => {
      const { passkeyRpId: rpId } = settings
      return rpId === undefined || isNone(sealing) || isNone(verifier)
        ? none
        : some({ verifier: verifier.value, sealing: sealing.value, rpId, rpName: productName(settings) })
    },
  ),
  provide(
    Dependency.apiUseCases,
    {
      ...COMMON,
      ...needs('authenticate', 'authenticateApplication', 'background', 'evenTiming', 'formats', 'keyring'),
      ...needs('logWaiters', 'passkeys', 'publishedLog', 'refusals', 'sealing', 'validateToken'),
      wrapping: Dependency.keyWrapping,
    },
    (needed) => {
      const { application, user, user_jwt } = needed.formats
      const settings = { ...needed.settings, issuer: needed.settings.publicUrl }
      const issuing = { ...needed, settings, tokenLimit: tokenLimit({ ...needed, ...settings.throttle }) }
      const sealing = settings.secondFactors ? toUndefined(needed.sealing) : undefined
      const passkeys = toUndefined(needed.passkeys)
      const signing = { ...issuing, passkeys, signUserToken: signUserToken(issuing) }
      return {
        authenticate: needed.authenticate,
        changePassword: changePassword(needed),
        completeEmailConfirmation: completeEmailConfirmation(needed),
        completeRecovery: completeRecovery(needed),
        completeSignIn: completeSignIn(signing),
        endOtherSessions: endOtherSessions(needed),
        endSession: endSession(needed),
        enrolTotp: sealing && {
          start: startTotpEnrolment({
            ...needed,
            sealing,
            settings: enrolmentSettings(settings),
          }),
          complete: completeTotpEnrolment({ ...signing, sealing }),
        },
        passkeys: passkeys && {
          startSignIn: startPasskeySignIn(signing),
          completeSignIn: completePasskeySignIn(signing),
          startSecondStep: startPasskeySecondStep(signing),
          startStepUp: startPasskeyStepUp(signing),
          enrol: settings.secondFactors
            ? { start: startPasskeyEnrolment(signing), complete: completePasskeyEnrolment(signing) }
            : undefined,
        },
        issueApplicationToken: issueApplicationToken({ ...issuing, tokens: application }),
        listFactors: listFactors(needed),
        listSessions: listSessions(needed),
        manageUser: manageUser(needed),
        publishedLog: needed.publishedLog,
        publishedKeys: publishedKeys('application', { ...needed, tokens: application }),
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
        resetFactors: resetFactors(needed),
        searchUsers: searchUsers(needed),
        signIn: signIn({ ...signing, rehash: rehash(needed) }),
        renewSession: renewSession(signing),
        signOut: signOut(needed),
        startEmailConfirmation: startEmailConfirmation(needed),
        startRecovery: startRecovery(needed),
        stepUp: stepUp(signing),
      }
    },
  ),
  provide(
    Dependency.oauthUseCases,
    {
      ...needs('apiUseCases', 'authenticateApplication', 'clock', 'store', 'validateToken'),
      record: Dependency.recorder,
    },
    ({ apiUseCases: { authenticate, issueApplicationToken }, ...needed }) => ({
      authenticate,
      authenticateApplication: needed.authenticateApplication,
      authenticateByKeys: authenticateByKeys(needed),
      introspect: introspect(needed),
      issueApplicationToken,
      revokeToken: revokeToken(needed),
    }),
  ),
  provide(
    Dependency.pagesUseCases,
    {
      ...COMMON,
      ...needs('apiUseCases', 'evenTiming', 'passkeys', 'refusals', 'sealing'),
      wrapping: Dependency.keyWrapping,
    },
    ({ apiUseCases, ...needed }) => {
      const { completeRecovery, completeEmailConfirmation, enrolTotp } = apiUseCases
      const { renameFactor, removeFactor, renewRecoveryCodes } = apiUseCases
      const sealing = toUndefined(needed.sealing)
      const sealed = sealing && { ...needed, sealing, settings: enrolmentSettings(needed.settings) }
      const passkeys = passkeysOn(toUndefined(needed.passkeys), pagesOriginOf(needed.settings))
      return {
        changePasswordByEmail: changePasswordByEmail(needed),
        // The form has no button for a passkey: its users take a recovery code.
        completePasswordChange: sealed && completePasswordChange({ ...sealed, passkeys: undefined }),
        completeRecovery,
        completeEmailConfirmation,
        securityPage:
          sealed &&
          securityPage({
            ...sealed,
            provePassword: provePassword(needed),
            proveSecondStep: proveSecondStep({ ...needed, passkeys }),
            renameFactor,
            removeFactor,
            renewRecoveryCodes,
            enrolTotp: enrolTotp && {
              start: enrolTotp.start,
              resume: resumeTotpEnrolment(sealed),
              complete: enrolOnPage(sealed),
            },
            passkeys: passkeys && {
              at: passkeys,
              prove: provePasskey({ ...needed, passkeys }),
              enrol: enrolTotp && enrolPasskeyOnPage({ ...needed, passkeys }),
            },
          }),
      }
    },
  ),
  provide(
    Dependency.operations,
    {
      ...COMMON,
      ...needs('failureCounts', 'formats', 'passwordEstimator', 'passwordPolicy', 'storage'),
      wrapping: Dependency.keyWrapping,
    },
    (needed) => {
      const { store, hasher, formats, wrapping, passwordPolicy } = needed
      const settings = { ...needed.settings, passwordPolicy }
      const readPasswordRecord = passwordRecordReader(settings)
      const proofs = {
        publicUrl: settings.publicUrl,
        notes: ed25519Notes(settings.eventLogKeys),
        treeDigests: nodeTreeDigests,
      }
      return {
        settings,
        store,
        serverNotes: needed.storage.serverNotes,
        storeCopy: needed.storage.storeCopy,
        passwordHasher: hasher,
        formats,
        keyWrapping: wrapping,
        registerApplication: registerApplication(needed),
        setApplication: setApplication(needed),
        setPasskeyOrigins: setPasskeyOrigins(needed),
        rotateApplicationKey: rotateApplicationKey(needed),
        revokeApplication: revokeApplication(needed),
        registerUser: registerUser(needed),
        importUsers: importUsers({ ...needed, readPasswordRecord, loadKeyCheck }),
        exportUsers: exportUsers({ ...needed, readPasswordRecord }),
        rehearseImport: () => rehearseImport({ ...needed, readPasswordRecord, loadKeyCheck }),
        setPassword: setPassword(needed),
        disableUser: disableUser(needed),
        enableUser: enableUser(needed),
        removeUser: removeUser(needed),
        endUserSessions: endUserSessions(needed),
        resetUserFactors: resetNamedFactors(needed),
        rotateKeys: rotateKeys(needed),
        checkLog: checkLog(needed),
        renewLog: renewLog(needed),
        checkStore: checkStore({ ...needed, ...proofs }),
        history: historyOf({ ...needed, ...proofs, filesIn: logFolder }),
        firstRun: firstRun({ ...needed, policy: passwordPolicy }),
        copyStore: copyStore({ treeDigests: nodeTreeDigests, newId: () => needed.random.uuid() }),
        close: async () => {
          await needed.passwordEstimator.close()
          await needed.failureCounts.close()
          await store.close()
        },
      }
    },
  ),
]
