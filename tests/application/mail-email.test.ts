import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { UserCaller } from '../../domain/access.ts'
import type { OwnEmailRequest } from '../../domain/own-email.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { newMailDesk } from './mail-desk.ts'
import { CONTEXT } from './world.ts'

const HOUR = 3_600
const NEW = 'ada@example.org'
const NOTHING = { email: undefined, password: undefined, language: undefined, returnTo: undefined }
const invalid = (...problems: ReadonlyArray<string>) => ({ _tag: 'Invalid', problems })

const newDesk = async (given: Parameters<typeof newMailDesk>[1] = {}) => {
  const environment = { ...mailLinkSettings(), ...FACTOR_SETTINGS, ...given.environment }
  const desk = await newMailDesk(() => 'takes', { ...given, environment })
  const links = desk.service.mailLinks
  if (links === undefined) throw new Error('the service mails no links')
  return {
    ...desk,
    links,
    askAs: (caller: UserCaller, request: Partial<OwnEmailRequest>) =>
      links.email(CONTEXT, caller, { ...NOTHING, ...request }),
    callerOf: async (token: string) => succeed(desk.service.authenticate(CONTEXT, 'mailEmail', token)),
    kinds: async () => (await desk.waiting()).map(({ kind, address }) => [kind, address]),
  }
}

const tokenIn = (text = ''): string => /token=(\w+)/.exec(text)?.[1] ?? ''

describe('mailEmail, given that Ada is signed in', () => {
  let desk: Awaited<ReturnType<typeof newDesk>>
  let caller: UserCaller
  beforeEach(async () => {
    desk = await newDesk()
    caller = (await desk.signIn()).caller
  })

  const ask = (request: Partial<OwnEmailRequest> = {}) => desk.askAs(caller, request)
  const lastRefusal = async () => {
    const { type, subject, actor, data } = (await desk.settledEvents()).at(-1) ?? {}
    expect([subject, actor]).to.deep.equal([
      { kind: 'user', id: desk.ada.id },
      { kind: 'user', id: desk.ada.id },
    ])
    return [type, data]
  }

  it('without an e-mail, then it mails a link to that on record, which confirms it', async () => {
    await succeed(ask({ language: 'de' }))
    const [mail, ...others] = await desk.waiting()
    expect(others).to.deep.equal([])
    expect(mail).to.deep.include({
      kind: 'email_confirmation',
      userId: some(desk.ada.id),
      address: desk.ada.email,
      language: some('de'),
      applicationId: some(desk.shop.application.id),
      facts: { asked: { passwordVersion: 1, sessionsVersion: 1, emailVersion: 1 } },
    })
    await desk.look()
    await succeed(
      desk.service.completeEmailConfirmation(CONTEXT, { token: tokenIn(desk.mailer.received[0]?.text) }),
    )
    expect(await userOf(desk.store, desk.ada.id)).to.include({ email: desk.ada.email, emailVerified: true })
  })

  it('with another e-mail and the password, then it warns the old one first, and the link changes it', async () => {
    await succeed(ask({ email: NEW, password: 'old' }))
    expect(await desk.kinds()).to.deep.equal([
      ['email_entered', desk.ada.email],
      ['email_confirmation', NEW],
    ])
    await desk.look()
    const letters = new Map(desk.mailer.received.map(({ to, text }) => [to, text]))
    expect(letters.get(desk.ada.email)).not.to.include(NEW)
    await succeed(desk.service.completeEmailConfirmation(CONTEXT, { token: tokenIn(letters.get(NEW)) }))
    expect(await userOf(desk.store, desk.ada.id)).to.include({ email: NEW, emailVerified: true })
    expect((await succeed(desk.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('with the own e-mail in other letter case, then no mail says that it is another one', async () => {
    const spelled = desk.ada.email.toUpperCase()
    await succeed(ask({ email: spelled, password: 'old' }))
    expect(await desk.kinds()).to.deep.equal([['email_confirmation', spelled]])
  })

  it('when the password is changed before the mail is sent, then only the warning is sent', async () => {
    await succeed(ask({ email: NEW, password: 'old' }))
    const passwords = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(desk.service.changePassword(CONTEXT, caller, passwords))
    await desk.look()
    const toNew = desk.mailer.received.filter(({ to }) => to === NEW)
    expect([toNew, desk.mailer.received.some(({ kind }) => kind === 'email_entered')]).to.deep.equal([
      [],
      true,
    ])
  })

  it('with a wrong password, then it counts like a wrong old password, and shows nothing about the e-mail', async () => {
    await succeed(desk.service.registerUser(CONTEXT, { email: NEW, password: 'x' }, OPERATOR))
    for (let each = 0; each < 5; each += 1)
      expect(await fail(ask({ email: NEW, password: 'wrong' }))).to.deep.equal(invalid('PasswordWrong'))
    expect(await lastRefusal()).to.deep.equal(['SignInRefused', { reason: 'wrong_password' }])
    expect(await fail(ask({ email: NEW }))).to.deep.equal(invalid('PasswordMissing'))
    expect(await desk.waiting()).to.deep.equal([])
  }).timeout(20_000)

  it('after too many wrong passwords, then change_password waits too', async () => {
    desk = await newDesk({ environment: { THROTTLE_ACCOUNT_FAILURES: '3' } })
    caller = (await desk.signIn()).caller
    for (let each = 0; each < 3; each += 1) await fail(ask({ email: NEW, password: 'wrong' }))
    for (const failed of [
      await fail(ask({ email: NEW, password: 'old' })),
      await fail(
        desk.service.changePassword(CONTEXT, caller, {
          oldPassword: 'old',
          newPassword: 'n',
          newPasswordCheck: 'n',
        }),
      ),
    ])
      expect(failed).to.have.property('_tag', 'Throttled')
    await succeed(ask())
  })

  it('with the e-mail of another user, then it is refused and noted, and counts for Ada', async () => {
    await succeed(desk.service.registerUser(CONTEXT, { email: NEW, password: 'x' }, OPERATOR))
    for (let each = 0; each < 4; each += 1)
      expect(await fail(ask({ email: NEW, password: 'old' }))).to.deep.equal(invalid('EmailTaken'))
    expect(await lastRefusal()).to.deep.equal(['EmailConfirmationRefused', { codes: [6] }])
    expect(await fail(ask({ email: 'free@example.org', password: 'old' }))).to.deep.equal({
      _tag: 'Throttled',
      retryAfterSeconds: HOUR,
      tooMany: 'mails_of_user',
    })
    expect(await desk.waiting()).to.deep.equal([])
  })

  it('with everything malformed, then the log has a code for each problem', async () => {
    const request = { email: 'ada', language: '-', returnTo: 'x' }
    expect(await fail(ask(request))).to.deep.equal(
      invalid('EmailMalformed', 'PasswordMissing', 'LanguageMalformed', 'ReturnToUnknown'),
    )
    expect(await lastRefusal()).to.deep.equal(['EmailConfirmationRefused', { codes: [3, 5, 9, 10] }])
  })

  it('counts each address with started confirmations, and then is noted', async () => {
    const start = { userId: desk.ada.id, email: desk.ada.email, password: undefined }
    for (let each = 0; each < 5; each += 1)
      await succeed(desk.service.startEmailConfirmation(CONTEXT, desk.caller, start))
    expect(await fail(ask())).to.include({ _tag: 'Throttled', tooMany: 'mails_to_email' })
    expect(await lastRefusal()).to.deep.equal(['EmailConfirmationRefused', { codes: [] }])
    await succeed(ask({ email: NEW, password: 'old' }))
  })

  it('after four mails within an hour, then it waits, and the owner can still recover', async () => {
    for (let each = 0; each < 4; each += 1) await succeed(ask())
    for (const request of [{}, { email: NEW, password: 'old' }])
      expect(await fail(ask(request))).to.include({ _tag: 'Throttled', tooMany: 'mails_of_user' })
    const { email } = desk.ada
    const recovery = { email, language: undefined, returnTo: undefined }
    await succeed(desk.links.recovery(CONTEXT, desk.caller, recovery))
    desk.clock.passSeconds(HOUR)
    await succeed(ask())
  })

  it('counts for the whole service', async () => {
    desk = await newDesk({ environment: { THROTTLE_MAILS: '1' } })
    caller = (await desk.signIn()).caller
    await succeed(ask())
    expect(await fail(ask({ email: NEW, password: 'old' }))).to.include({ tooMany: 'mails' })
  })

  it('while the service mails no more, then refused requests count for Ada, so she learns of four e-mails at most', async () => {
    desk = await newDesk({ environment: { THROTTLE_MAILS: '1' } })
    caller = (await desk.signIn()).caller
    await succeed(desk.service.registerUser(CONTEXT, { email: NEW, password: 'x' }, OPERATOR))
    await succeed(ask())
    for (const email of ['a@example.org', 'b@example.org'])
      expect(await fail(ask({ email, password: 'old' }))).to.include({ tooMany: 'mails' })
    expect(await fail(ask({ email: NEW, password: 'old' }))).to.deep.equal(invalid('EmailTaken'))
    for (const email of ['c@example.org', NEW])
      expect(await fail(ask({ email, password: 'old' }))).to.include({ tooMany: 'mails_of_user' })
  })

  it('with a return URL, then it must be of the application where Ada is signed in', async () => {
    const returnTo = 'https://shop.example.com/done'
    expect(await fail(ask({ returnTo }))).to.deep.equal(invalid('ReturnToUnknown'))
    await succeed(desk.service.setApplication(CONTEXT, desk.shop.application.id, { returnUrls: [returnTo] }))
    caller = (await desk.signIn()).caller
    await succeed(ask({ returnTo }))
    expect(toUndefined((await desk.waiting())[0]?.returnTo ?? none)).to.equal(returnTo)
  })

  it('while a second factor is due, then another e-mail needs a fresh proof, before any password is checked', async () => {
    const app = await enrolUser(desk.store, desk.ada.id)
    const due = await fail(desk.service.signIn(CONTEXT, desk.caller, desk.ada))
    const proof = {
      token: due._tag === 'SecondFactorDue' ? due.token : '',
      totp: app.codeAt(desk.clock.read()),
    }
    caller = await desk.callerOf(
      (await succeed(desk.service.completeSignIn(CONTEXT, desk.caller, proof))).token,
    )
    desk.clock.passSeconds(600)
    await succeed(ask({ email: NEW, password: 'old' }))
    desk.clock.passSeconds(1)
    for (const password of ['old', 'wrong', undefined])
      expect(await fail(ask({ email: NEW, password }))).to.include({
        _tag: 'InsufficientAuthentication',
        acr: 'aal2',
      })
    await succeed(ask())
  })
})

describe('mailEmail, given a user without a password', () => {
  it('needs the proof of a factor for another e-mail, not the word of an application', async () => {
    const desk = await newDesk()
    const { service } = desk
    const scope = 'users:vouch users:sign_in'
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'portal', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const portal = await succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
    const eve = { email: 'eve@example.com', password: undefined, withoutPassword: true }
    const { id } = await succeed(service.registerUser(CONTEXT, eve, OPERATOR))
    const vouch = service.signInVouched(CONTEXT, portal, { userId: id, email: undefined, method: 'email' })
    const vouched = await desk.callerOf((await succeed(vouch)).token)
    for (const password of [undefined, 'any'])
      expect(await fail(desk.askAs(vouched, { email: NEW, password }))).to.include({
        _tag: 'InsufficientAuthentication',
        canStepUp: false,
      })
    await succeed(desk.askAs(vouched, {}))

    const { recoveryCodes } = await enrolUser(desk.store, id)
    const due = await fail(
      service.signInVouched(CONTEXT, portal, { userId: id, email: undefined, method: 'email' }),
    )
    const proof = { token: due._tag === 'SecondFactorDue' ? due.token : '', recoveryCode: recoveryCodes[0] }
    const proved = await desk.callerOf((await succeed(service.completeSignIn(CONTEXT, portal, proof))).token)
    await succeed(desk.askAs(proved, { email: NEW }))
    expect((await desk.kinds()).filter(([kind]) => kind?.startsWith('email_')).slice(1)).to.deep.equal([
      ['email_entered', 'eve@example.com'],
      ['email_confirmation', NEW],
    ])
  })
})

describe('mailEmail, given an outbox that fails after the warning', () => {
  for (const [what, answer, failure] of [
    ['gone', left({ _tag: 'StoreUnavailable', reason: 'gone' } as const), 'StoreUnavailable'],
    ['full', left({ _tag: 'OutboxFull' } as const), 'Overloaded'],
  ] as const)
    it(`as ${what}, then the owner is warned, and no link is sent`, async () => {
      const { store, outbox } = memoryStorage()
      const put: Outbox['put'] = (query) =>
        query.mail.kind === 'email_entered' ? outbox.put(query) : async () => answer
      const storage = provide(Dependency.storage, () => ({ store, outbox: { ...outbox, put } }))
      const desk = await newDesk({ modules: [storage] })
      const { caller } = await desk.signIn()
      const failed = await fail(desk.askAs(caller, { email: NEW, password: 'old' }))
      expect(failed._tag).to.equal(failure)
      if (failed._tag === 'StoreUnavailable') expect(failed.outcome).to.equal('unknown')
      const mails = await succeed(outbox.list({ state: none, after: '', limit: 9 }))
      expect(mails.map(({ kind }) => kind)).to.deep.equal(['email_entered'])
    })

  it('as filled by others meanwhile, then the link is sent nevertheless', async () => {
    const { store, outbox } = memoryStorage()
    let waiting = 0
    const put: Outbox['put'] = (query) => {
      const isFull = waiting >= query.unseenAtMost
      waiting = 10_000
      return isFull ? async () => left({ _tag: 'OutboxFull' }) : outbox.put(query)
    }
    const storage = provide(Dependency.storage, () => ({ store, outbox: { ...outbox, put } }))
    const desk = await newDesk({ modules: [storage] })
    const { caller } = await desk.signIn()
    await succeed(desk.askAs(caller, { email: NEW, password: 'old' }))
    const mails = await succeed(outbox.list({ state: none, after: '', limit: 9 }))
    expect(mails.map(({ kind }) => kind)).to.deep.equal(['email_entered', 'email_confirmation'])
  })
})
