import { randomBytes } from 'node:crypto'
import { isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import type { UserCaller } from '../../domain/access.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { capturedLog } from '../support/captured-log.ts'
import { totpAt } from '../support/factor-desk.ts'
import { grantedSessions, REDIRECT_URI } from '../support/granted-sessions.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import type { Lasting } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { PASSKEY_SETTINGS, permitPasskeys } from '../support/passkey-desk.ts'
import { publishedLogOf } from '../support/published-log.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { enrolUser } from '../support/second-factors.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'
import { base64url } from '../tokens/forge.ts'
import type { Names } from './random-requests-bytes.ts'
import { pageOf, withinJson } from './random-requests-ceremony.ts'
import { identitiesOf, permitIdentities } from './random-requests-identities.ts'
import type { Canaries } from './random-requests-rules.ts'

/** A service full of canaries, and everything visible of it from outside and inside. */
export type World = Readonly<{
  running: RunningService
  /** The service’s log. */
  lines: ReadonlyArray<string>
  newcomer: () => Promise<Newcomer>
  eventsAfter: (position: number) => Promise<ReadonlyArray<LogEntry>>
  /** Stops the service, including its background work. May be called again. Its store stays readable. */
  stop: () => Promise<void>
}>

/** A user who has just signed in: the values for plans, and the secrets that must not leak. */
export type Newcomer = Readonly<{ names: Names; canaries: Canaries }>

const LINES = [Buffer.from('{"position":1}'), Buffer.from('{"position":2}')]
const NOTE = 'service.test/api/v1/log/a1b2c3d4\n2\nroot=\n\n— service.test/api/v1/log/a1b2c3d4 signature\n'

export const openWorld = async ({ store, outbox }: Pick<Lasting, 'store' | 'outbox'>): Promise<World> => {
  const { log, lines } = capturedLog()
  const google = memoryIdentityProvider()
  const open = { ...store, close: async () => {} }
  const running = await startService(
    {
      ...mailLinkSettings(),
      PAGES_REGISTRATION: 'on',
      IDENTITY_REGISTRATION: 'on',
      OPENID: 'on',
      ...PASSKEY_SETTINGS,
      THROTTLE_MAILS: '0',
      SESSION_TTL: '86400', // above that of a token, so that sessions are renewed
      THROTTLE_RECOVERIES: '1000000', // each newcomer starts one
      THROTTLE_ADDRESS_FAILURES: '1000000', // wrong passwords on pages count on the one network of the test
    },
    provide(Dependency.identityProviders, () => [google]),
    provide(Dependency.log, () => log),
    provide(Dependency.publishedLog, () => publishedLogOf(LINES, NOTE)),
    provide(Dependency.storage, () => ({ store: open, outbox, protocolState: grantedSessions() })),
  )
  const { service, send, keys } = running
  await permitPasskeys(running)

  const narrow = async (scope: string) => {
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'narrow', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    return { privateKey: made.privateApiKey, token }
  }
  const signInOnly = await narrow('users:sign_in')
  const registerOnly = await narrow('users:register')
  const introspectOnly = await narrow('tokens:introspect')
  const administrator = await narrow('users:read users:manage events:read')
  const auditor = await narrow('events:read')
  const desk = await narrow('users:recover users:confirm_email')
  const support = await narrow('users:reset_factors users:roles users:attributes')
  const voucher = await narrow('users:vouch')
  const redirectUris = [REDIRECT_URI]
  const tokenless = await succeed(
    service.registerApplication(CONTEXT, { name: 'tokenless', scope: 'users:register', redirectUris }),
  )
  const application = await running.applicationToken()
  const ended = await running.userToken()
  await send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })

  const signingKeys = (await succeed(store.listSigningKeys())).map((key) => {
    const material = service.keyWrapping.unwrap(key.material, key)
    return isRight(material) ? { ...key, material: material.right } : key
  })
  const narrowOnes = [
    signInOnly,
    registerOnly,
    introspectOnly,
    administrator,
    auditor,
    desk,
    support,
    voucher,
  ]
  const never = [
    keys.private_api_key,
    ...narrowOnes.map(({ privateKey }) => privateKey),
    tokenless.privateApiKey,
    ...signingKeys.flatMap(spellingsOf),
  ]
  const fixed = {
    publicKey: keys.public_api_key,
    privateKey: keys.private_api_key,
    tokenlessPublicKey: tokenless.publicApiKey,
    tokenlessPrivateKey: tokenless.privateApiKey,
    application,
    ended,
    signInOnly: signInOnly.token,
    registerOnly: registerOnly.token,
    introspectOnly: introspectOnly.token,
    administrator: administrator.token,
    auditor: auditor.token,
    desk: desk.token,
    support: support.token,
    voucher: voucher.token,
    unsigned: `${base64url('{"alg":"none","typ":"at+jwt"}')}.${application.split('.')[1]}.`,
    local: `v4.local.${base64url(randomBytes(80))}`,
    stranger: application.replace(/[^.]+$/, base64url(randomBytes(64))),
    huge: 'x'.repeat(12_000),
    dots: '.'.repeat(2_000),
  }
  await permitIdentities(service, await succeed(service.authenticate(CONTEXT, 'signIn', application)))
  const caller = await succeed(service.authenticate(CONTEXT, 'signIn', application))
  const identities = identitiesOf(service, caller, google)
  const deskCaller = await succeed(service.authenticate(CONTEXT, 'startRecovery', desk.token))

  const startRecovery = async (email: string) => {
    const { account } = await succeed(service.startRecovery(CONTEXT, deskCaller, { email }))
    return isSome(account) ? account.value.token : ''
  }
  const startConfirmation = async (userId: string, email: string) => {
    const ofRecord = { userId, email, password: undefined }
    return (await succeed(service.startEmailConfirmation(CONTEXT, deskCaller, ofRecord))).token
  }
  const { id, email } = running.user
  const usedConfirmation = await startConfirmation(id, email)
  await succeed(service.completeEmailConfirmation(CONTEXT, { token: usedConfirmation }))
  const [usedRecovery, lostRecovery] = [await startRecovery(email), await startRecovery(email)]
  const { password } = running.user
  const newPassword = { newPassword: password, newPasswordCheck: password }
  await succeed(service.completeRecovery(CONTEXT, { token: usedRecovery, ...newPassword }))

  const mark = `qz${randomBytes(5).toString('hex')}`
  let count = 0
  /** A sign-in of another user that waits for the second factor, and a recovery code that completes it. */
  const waitingSignIn = async (email: string, password: string) => {
    const { id } = await succeed(service.registerUser(CONTEXT, { email, password }, OPERATOR))
    const recoveryCode = `code-of-${email}`
    await enrolUser(store, id, { recoveryCodes: [recoveryCode, 'another'] })
    const due = await fail(service.signIn(CONTEXT, caller, { email, password }))
    return { pending: 'token' in due ? due.token : '', recoveryCode }
  }
  /** An enrolment that its user may complete. */
  const startEnrolment = async (self: UserCaller) => {
    if (service.enrolTotp === undefined) throw new Error('nobody can enrol')
    const { enrolment, secret } = await succeed(service.enrolTotp.start(self))
    return { enrolment, secret, totp: totpAt(secret, Date.now()) }
  }
  /** The session of another user, in which a factor was enrolled, and the factor. */
  const enrolledUser = async (email: string, password: string) => {
    await succeed(service.registerUser(CONTEXT, { email, password, emailVerified: true }, OPERATOR))
    const { token } = await succeed(service.signIn(CONTEXT, caller, { email, password }))
    const self = await succeed(service.authenticate(CONTEXT, 'getProfile', token))
    const { enrolment, totp } = await startEnrolment(self)
    if (service.enrolTotp === undefined) throw new Error('nobody can enrol')
    const enrolled = service.enrolTotp.complete(CONTEXT, self, { enrolment, totp, name: undefined })
    return { withFactor: token, factor: (await succeed(enrolled)).id }
  }
  /** The session of another user with a passkey, an answer that signs the user in, and a sign-in that waits for it. */
  const passkeyUser = async (email: string, password: string) => {
    const { passkeys } = service
    if (passkeys?.enrol === undefined) throw new Error('nobody can enrol')
    const { id } = await succeed(
      service.registerUser(CONTEXT, { email, password, emailVerified: true }, OPERATOR),
    )
    const { token } = await succeed(service.signIn(CONTEXT, caller, { email, password }))
    const self = await succeed(service.authenticate(CONTEXT, 'getProfile', token))
    const device = await softwareAuthenticator()
    const credential = await device.create(pageOf(await succeed(passkeys.enrol.start(self))))
    const { token: withPasskey } = await succeed(
      passkeys.enrol.complete(CONTEXT, self, { credential, name: undefined }),
    )
    const due = await fail(service.signIn(CONTEXT, caller, { email, password }))
    const ceremony = pageOf(await succeed(passkeys.startSignIn(caller)))
    return {
      withPasskey,
      pendingPasskey: 'token' in due ? due.token : '',
      assertion: withinJson(await device.get(ceremony, { userHandle: userHandleOf(id) })),
    }
  }
  /** A credential with which a user may complete a registration. */
  const startRegistration = async (self: UserCaller) => {
    const started = service.passkeys?.enrol?.start(self)
    if (started === undefined) throw new Error('nobody can enrol')
    return withinJson(await (await softwareAuthenticator()).create(pageOf(await succeed(started))))
  }
  let stopped: Promise<void> | undefined
  const newcomer = async (): Promise<Newcomer> => {
    count += 1
    const email = `${mark}.${count}@${mark}.example`
    const password = `${mark}!${count}!${mark}`
    await succeed(service.registerUser(CONTEXT, { email, password, emailVerified: true }, OPERATOR))
    const label = `browser of ${email}`
    const { token: user } = await succeed(service.signIn(CONTEXT, caller, { email, password, label }))
    const self = await succeed(service.authenticate(CONTEXT, 'getProfile', user))
    const { session } = self
    const { enrolment, totp, secret } = await startEnrolment(self)
    const found = await succeed(store.findUserByEmail(email))
    const record = isSome(found) ? found.value.passwordRecord : ''
    const userId = session.userId
    const recovery = await startRecovery(email)
    const confirmation = await startConfirmation(userId, email)
    const enrolled = await enrolledUser(`${mark}.enrolled.${count}@${mark}.example`, password)
    const registration = await startRegistration(self)
    const passkey = await passkeyUser(`${mark}.passkey.${count}@${mark}.example`, password)
    const waiting = await waitingSignIn(`${mark}.waiting.${count}@${mark}.example`, password)
    return {
      names: {
        ...fixed,
        usedRecovery,
        usedConfirmation,
        lostRecovery,
        email,
        password,
        user,
        session: session.id,
        record,
        userId,
        recovery,
        confirmation,
        ...waiting,
        ...enrolled,
        ...passkey,
        ...(await identities(self, `${mark}.fed.${count}@${mark}.example`, count)),
        registration,
        enrolment,
        totp,
        newEmail: `new.${email}`,
        newPassword: `${password}?new`,
      },
      canaries: {
        mark,
        never: [...never, record, secret],
        tokens: [
          user,
          application,
          ended,
          signInOnly.token,
          registerOnly.token,
          introspectOnly.token,
          administrator.token,
          desk.token,
          support.token,
          voucher.token,
          recovery,
          confirmation,
          waiting.pending,
          enrolled.withFactor,
          passkey.withPasskey,
          passkey.pendingPasskey,
          usedRecovery,
          usedConfirmation,
          lostRecovery,
        ],
        email,
        label,
      },
    }
  }

  return {
    running,
    lines,
    newcomer,
    eventsAfter: (after) => succeed(store.readEvents({ after, limit: Number.MAX_SAFE_INTEGER })),
    stop: () => {
      stopped ??= running.stop()
      return stopped
    },
  }
}

/** The secret half of a signing key, as stored and in other encodings. */
const spellingsOf = ({ material }: SigningKey): ReadonlyArray<string> => {
  const bytes = material.startsWith('{')
    ? Buffer.from(JSON.parse(material).d, 'base64url')
    : Buffer.from(material.slice('k4.secret.'.length), 'base64url').subarray(0, 32)
  return [material, bytes.toString('hex'), bytes.toString('base64url'), bytes.toString('base64')]
}
