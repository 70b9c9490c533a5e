import { expect } from 'chai'
import type { Portcullis } from '../../adapters/client/client.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { totpAt } from '../support/factor-desk.ts'
import { ON_ITS_WAY } from '../support/mail-links.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'
import { camelDocument } from './camel-document.ts'
import { ceremonyOf } from './ceremony.ts'
import { type ClientWorld, openClientWorld, successOf } from './client-world.ts'
import { callAtProvider } from './identity-calls.ts'
import { observedClient } from './observed-client.ts'
import { callAsOpenIdClient } from './openid-calls.ts'

describe('the client, at a service with every operation', () => {
  let world: ClientWorld
  let document: ReturnType<typeof camelDocument>
  let observed: ReturnType<typeof observedClient>
  let auth: Portcullis
  before(async () => {
    world = await openClientWorld()
    document = camelDocument(world.running.service.openApi())
    const client = await world.clientOf()
    observed = observedClient(document)
    auth = { ...observed.methods(client), user: (token) => observed.methods(client.user(token)) }
  })
  after(() => world.stop())

  const signedIn = async (user: Readonly<{ email: string; password: string }>) =>
    successOf(await auth.signIn({ email: user.email, password: user.password }))
  const newSession = async () => {
    const user = await world.newUser()
    const { token } = await signedIn(user)
    return { user, token, mine: auth.user(token) }
  }
  /** A user with an authenticator app. */
  const newEnrolled = async () => {
    const { user, mine } = await newSession()
    const { enrolment, secret } = successOf(await mine.startTotpEnrolment())
    const code = () => totpAt(secret, world.time.now)
    const enrolled = successOf(await mine.completeTotpEnrolment({ enrolment, totp: code() }))
    world.passSeconds(30) // a code is valid once
    return { user, code, enrolled, mine: auth.user(enrolled.token) }
  }
  const waiting = async (user: Readonly<{ email: string; password: string }>) => {
    const due = await auth.signIn({ email: user.email, password: user.password })
    if (due.ok || due.refusal !== 'second_factor') throw new Error('no second factor is due')
    return due.secondFactor
  }

  it('reads what needs no token', async () => {
    const policy = successOf(await auth.getPasswordPolicy())
    expect(policy).to.include({ policy: 'contract', minimumLength: 1, maximumLength: null })
    expect(successOf(await auth.listApplicationTokenKeys()).keys).to.have.length(1)
    expect(successOf(await auth.listUserTokenKeys()).keys).to.have.length(1)
    expect(successOf(await auth.listUserJwtKeys()).keys).to.have.length(1)
    expect(successOf(await auth.listIdTokenKeys()).keys).to.have.length(1)
    expect(successOf(await auth.isAlive()).status).to.equal('alive')
    expect(successOf(await auth.isReady()).status).to.equal('ready')
    expect(successOf(await auth.getMetrics()).text).to.include('# HELP')
    expect(successOf(await auth.describeForPeople()).text).to.include('<html')
    expect(successOf(await auth.describe()).openapi).to.match(/^3\.1\./)
    const { issuer, token_endpoint } = successOf(await auth.getOauthMetadata())
    expect(issuer).to.equal('https://service.test/auth')
    expect(token_endpoint).to.equal(`${issuer}/oauth2/token`)
    expect(successOf(await auth.getOpenIdMetadata()).token_endpoint).to.equal(token_endpoint)
  })

  it('signs users in at a provider', async () => callAtProvider(world.google, auth, await newSession()))

  it('issues, introspects and revokes tokens of its application', async () => {
    successOf(await auth.issueApplicationToken())
    const { accessToken, scope } = successOf(await auth.issueOauthToken({ scope: 'users:read' }))
    expect(scope).to.equal('users:read')
    expect(await auth.introspect({ token: accessToken })).to.include({
      ok: true,
      active: true,
      kind: 'application',
    })
    const { token } = await newSession()
    expect(await auth.introspect({ token })).to.include({ ok: true, active: true, kind: 'user' })
    expect(await auth.introspect({ token: 'none' })).to.deep.equal({ ok: true, active: false })
    expect(await auth.revokeToken({ token: accessToken })).to.deep.equal({ ok: true })
    expect(await auth.introspect({ token: accessToken })).to.deep.equal({ ok: true, active: false })
  })

  it('registers a user, who signs in, changes the password and signs out', async () => {
    const credentials = { email: 'eve@example.com', password: 'violet tractor lemon' }
    const { id } = successOf(await auth.registerUser({ ...credentials, emailVerified: true }))
    const first = successOf(
      await auth.signIn({ ...credentials, label: 'Firefox' }, { endUserAddress: '192.0.2.7' }),
    )
    expect(first).to.include({ userId: id, emailVerified: true, acr: 'aal1' })
    world.passSeconds(120)
    const { token } = successOf(await auth.renewSession({ token: first.token }))
    const mine = auth.user(token)
    expect(successOf(await mine.getProfile())).to.include({ id, email: credentials.email })
    const second = await signedIn(credentials)
    const third = await signedIn(credentials)
    const { sessions } = successOf(await mine.listSessions())
    expect(sessions.map(({ label }) => label)).to.have.members(['Firefox', null, null])
    const [other] = sessions.filter(({ current }) => !current)
    successOf(await mine.endSession({ sessionId: other?.id }))
    successOf(await mine.endOtherSessions())
    for (const ended of [second, third])
      expect(await auth.user(ended.token).getProfile()).to.include({ ok: false, refusal: 'invalid_token' })

    const change = (oldPassword: string, newPassword: string) => ({
      oldPassword,
      newPassword,
      newPasswordCheck: newPassword,
    })
    successOf(await mine.changePassword(change(credentials.password, 'another')))
    successOf(await mine.stepUp({ password: 'another' }))
    successOf(await mine.signOut())
    expect(await mine.getProfile()).to.include({ ok: false, refusal: 'invalid_token' })
  })

  it('recovers an account, and confirms an e-mail', async () => {
    const { user } = await newSession()
    const { token, email } = successOf(await auth.startRecovery({ email: user.email }))
    expect(email).to.equal(user.email)
    const newPassword = 'recovered'
    successOf(
      await auth.completeRecovery({ token: token ?? undefined, newPassword, newPasswordCheck: newPassword }),
    )
    const confirmation = successOf(
      await auth.startEmailConfirmation({
        userId: user.id,
        email: `new.${user.email}`,
        password: newPassword,
      }),
    )
    expect(confirmation.notify).to.equal(user.email)
    successOf(await auth.completeEmailConfirmation({ token: confirmation.token }))
    await signedIn({ email: `new.${user.email}`, password: newPassword })
  })

  it('mails links', async () => {
    const { user, mine } = await newSession()
    expect(successOf(await auth.mailRecovery({ email: user.email, language: 'de' }))).to.deep.equal({
      ok: true,
      ...ON_ITS_WAY,
    })
    successOf(await mine.mailEmail())
    successOf(await mine.mailEmail({ email: `new.${user.email}`, password: user.password, language: 'de' }))
    const refused = await mine.mailEmail({ email: `new.${user.email}`, returnTo: 'https://evil.example/' })
    expect(refused.ok ? [] : refused.problems.map(({ field, reason }) => [field, reason])).to.deep.equal([
      ['password', 'missing'],
      ['returnTo', 'unknown'],
    ])
    const grace = { email: `grace.${user.email}`, password: 'violet tractor lemon' }
    successOf(await auth.registerUser({ ...grace, language: 'de', sendConfirmation: true }))
  })

  it('manages users', async () => {
    const { user, mine } = await newSession()
    const userId = user.id
    const { users } = successOf(await auth.searchUsers({ email: user.email }))
    expect(users.map(({ id, emailVerified }) => [id, emailVerified])).to.deep.equal([[userId, true]])
    successOf(await auth.searchUsers())
    const changed = successOf(await auth.changeRoles({ userId, add: ['b', 'a'], remove: ['x'] }))
    expect(changed).to.deep.include({ userId, roles: ['a', 'b'] })
    const none = await auth.changeRoles({ userId })
    expect(none).to.have.nested.include({ 'problems[0].reason': 'missing', 'problems[0].field': 'add' })
    successOf(await auth.searchUsers({ emailPrefix: user.email.slice(0, 3) }))
    const shown = successOf(await auth.showUser({ userId }))
    expect(shown.sessions.map(({ applicationName }) => applicationName)).to.have.lengthOf(1)
    successOf(await auth.endUserSessions({ userId }))
    expect(await mine.getProfile()).to.include({ ok: false, refusal: 'invalid_token' })
    successOf(await auth.disableUser({ userId }))
    successOf(await auth.enableUser({ userId }))
    const { token } = await signedIn(user)
    successOf(await auth.user(token).removeOwnAccount({ password: user.password }))
    successOf(await auth.removeUser({ userId: (await world.newUser()).id }))
  })

  it('changes attributes, in which null removes one, and the names in metadata stay as they are', async () => {
    const { user, mine } = await newSession()
    const metadata = { shoe_size: 38, likes_tea: true }
    const set = successOf(await mine.changeOwnAttributes({ givenName: 'Ada', locale: 'en', metadata }))
    expect(set).to.deep.equal({ ok: true, givenName: 'Ada', locale: 'en', metadata })
    const patch = { userId: user.id, locale: null, metadata: { likes_tea: null } }
    const kept = { givenName: 'Ada', metadata: { shoe_size: 38 } }
    expect(successOf(await auth.changeUserAttributes(patch))).to.deep.equal({ ok: true, ...kept })
    expect(successOf(await mine.getProfile())).to.deep.include(kept)
    const { users } = successOf(await auth.searchUsers({ email: user.email }))
    expect(users[0]).to.deep.include(kept)
    const refused = await auth.changeUserAttributes({
      userId: 'none',
      familyName: '\n',
      metadata: { tags: '' },
    })
    expect(refused.ok ? [] : refused.problems.map(({ field, reason }) => [field, reason])).to.deep.equal([
      ['userId', 'unknown'],
      ['familyName', 'malformed'],
    ])
  })

  it('enrols an authenticator app, with which a user signs in', async () => {
    const { user, code, enrolled, mine } = await newEnrolled()
    expect(enrolled.recoveryCodes).to.have.length(10)
    const { factors } = successOf(await mine.listFactors())
    expect(factors.map(({ kind }) => kind)).to.include('totp')
    successOf(await mine.renameFactor({ factorId: enrolled.id, name: 'phone' }))

    const due = await waiting(user)
    expect(due.methods).to.deep.equal(['totp', 'recovery_code'])
    const byCode = successOf(await auth.completeSignIn({ token: due.token, totp: code() }))
    expect(byCode).to.include({ acr: 'aal2', userId: user.id })

    const [recoveryCode] = successOf(await mine.renewRecoveryCodes()).recoveryCodes
    const again = await waiting(user)
    const byRecovery = successOf(await auth.completeSignIn({ token: again.token, recoveryCode }))
    successOf(await auth.user(byRecovery.token).removeFactor({ factorId: enrolled.id }))
    successOf(await auth.resetFactors({ userId: user.id }))
    await signedIn(user)
  })

  it('signs in a user without a password, for whom it vouches', async () => {
    const registered = await auth.registerUser({ email: 'no-password@example.com', withoutPassword: true })
    const userId = successOf(registered).id
    const signed = successOf(await auth.signInVouched({ userId, method: 'fed', label: 'phone' }))
    expect(signed).to.deep.include({ userId, acr: 'aal1', amr: ['vouched', 'fed'] })
    const unknown = await auth.signInVouched({ email: 'nobody@example.com', method: 'google' as 'fed' })
    expect(unknown.ok || unknown.problems.map(({ reason, field }) => [reason, field])).to.deep.equal([
      ['unknown', 'email'],
      ['unknown', 'method'],
    ])
    successOf(await auth.disableUser({ userId }))
    const disabled = await auth.signInVouched({ userId, method: 'fed' })
    expect(disabled.ok || disabled.problems[0].reason).to.equal('disabled')
  })

  it('enrols a passkey, with which a user signs in and steps up', async () => {
    const { user, mine } = await newSession()
    const device = await softwareAuthenticator()
    const userHandle = userHandleOf(user.id)
    const registration = await device.create(ceremonyOf(successOf(await mine.startPasskeyEnrolment())))
    successOf(await mine.completePasskeyEnrolment({ credential: registration, name: 'key' }))

    const { token, methods } = await waiting(user)
    expect(methods).to.include('passkey')
    const second = successOf(await auth.startPasskeySecondStep({ token }))
    const completed = successOf(
      await auth.completeSignIn({ token, credential: await device.get(ceremonyOf(second)) }),
    )
    expect(completed.acr).to.equal('aal2')

    const alone = await device.get(ceremonyOf(successOf(await auth.startPasskeySignIn())), { userHandle })
    const signed = successOf(await auth.completePasskeySignIn({ credential: alone }))
    expect(signed.userId).to.equal(user.id)
    const passkeyed = auth.user(signed.token)
    const stepped = await device.get(ceremonyOf(successOf(await passkeyed.startPasskeyStepUp())), {
      userHandle,
    })
    successOf(await passkeyed.stepUp({ credential: stepped }))
  })

  it('reads the log', async () => {
    const page = successOf(await auth.readFeed({ limit: 2, type: 'UserRegistered' }))
    expect(page.items.map(({ data }) => data.type)).to.deep.equal(['UserRegistered', 'UserRegistered'])
    const { items } = successOf(await auth.readFeed({ after: page.next, limit: 1 }))
    expect(Number(items[0]?.sequence)).to.be.greaterThan(Number(page.items[1]?.sequence))
    expect(successOf(await auth.getCheckpoint()).text).to.include('root=')
    expect(successOf(await auth.getTile({ path: '0/000.p/1' })).bytes).to.have.length(32)
  })

  it('verifies a user token offline, and refuses that of its application', async () => {
    const { user, token } = await newSession()
    expect(await auth.verify(token)).to.include({ ok: true, userId: user.id, acr: 'aal1' })
    const application = successOf(await auth.issueApplicationToken())
    expect(await auth.verify(application.token)).to.include({ ok: false, refusal: 'invalid_token' })
  })

  it('tells a client of the OpenID provider about its user', async () => {
    await callAsOpenIdClient(world, auth, observed.methods)
  })

  it('has one method for each operation, and no other', () => {
    const others = ['user', 'users', 'events', 'eventsUntilNow', 'verify', 'cookies']
    const names = [...Object.keys(auth), ...Object.keys(auth.user('any'))]
    expect(names.filter((name) => !others.includes(name))).to.have.members(document.ids)
  })

  it('would be seen to return a name of the wire, or to omit a member', async () => {
    const { minimumLength, ...policy } = successOf(await auth.getPasswordPolicy())
    expect(document.validate('getPasswordPolicy', policy)).to.have.length(1)
    expect(
      document.validate('getPasswordPolicy', { ...policy, minimum_length: minimumLength }),
    ).to.have.length(2)
  })

  // After all other tests.
  it('was called successfully for each operation, and returned what the document describes', () => {
    expect([...observed.called]).to.have.members(document.ids)
    expect(observed.differences).to.deep.equal([])
  })
})
