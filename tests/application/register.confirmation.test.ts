import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { Actor } from '../../domain/event.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { fail, succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { listed } from '../testkit/outbox/steps.ts'
import { newMailDesk } from './mail-desk.ts'
import { CONTEXT, FULL } from './world.ts'

const GRACE = { email: 'grace@example.com', password: 'hers' }

describe('registerUser with a confirmation', () => {
  let desk: Awaited<ReturnType<typeof newMailDesk>>
  const open = async (environment: Record<string, string>) => {
    desk = await newMailDesk(() => 'takes', { environment })
  }
  beforeEach(() => open(mailLinkSettings()))

  const register = (request: object = {}, actor?: Actor) =>
    desk.service.registerUser(
      CONTEXT,
      { ...GRACE, sendConfirmation: true, ...request },
      actor ?? { kind: 'application', id: desk.shop.application.id },
    )

  it('writes the mail with the user, and its link confirms the e-mail', async () => {
    const { id } = await succeed(register({ language: 'de' }))
    const [mail, ...others] = await desk.waiting()
    expect(others).to.deep.equal([])
    expect(mail).to.deep.include({
      kind: 'email_confirmation',
      userId: some(id),
      address: GRACE.email,
      language: some('de'),
      applicationId: some(desk.shop.application.id),
      facts: { asked: { passwordVersion: 1, sessionsVersion: 1, emailVersion: 1 } },
    })
    await desk.look()
    const [, token = ''] = /token=(\w+)/.exec(desk.mailer.received[0]?.text ?? '') ?? []
    await succeed(desk.service.completeEmailConfirmation(CONTEXT, { token }))
    expect((await userOf(desk.store, id)).emailVerified).to.equal(true)
  })

  it('writes no mail without its flag, and none if the user is refused or the store is full', async () => {
    await succeed(register({ email: 'eve@example.com', sendConfirmation: false }))
    expect(await fail(register({ email: 'eve@example.com' }))).to.include({ _tag: 'Invalid' })
    desk.store.readOnly = true
    expect(await fail(register())).to.deep.equal(FULL)
    expect(await desk.waiting()).to.deep.equal([])
  })

  it('mails nothing to a user who was removed before', async () => {
    const { id } = await succeed(register())
    await succeed(desk.service.removeUser(CONTEXT, id))
    await desk.look()
    expect(desk.mailer.received.map(({ kind }) => kind)).not.to.include('email_confirmation')
  })

  it('counts on the e-mail and on the service, unless the user is refused', async () => {
    await open({ ...mailLinkSettings(), THROTTLE_MAILS: '2' })
    for (let each = 0; each < 9; each += 1) await fail(register({ password: '' }))
    await succeed(register())
    for (let each = 0; each < 9; each += 1) await fail(register())
    await succeed(register({ email: 'eve@example.com' }))
    expect(await fail(register({ email: 'bob@example.com' }))).to.include({
      _tag: 'Throttled',
      tooMany: 'mails',
    })
    await succeed(register({ email: 'bob@example.com', sendConfirmation: false }))
  })

  it('writes the mail also while too many requests wait, because it comes with the user', async () => {
    const { store, outbox } = memoryStorage()
    const put: Outbox['put'] = () => async () => left({ _tag: 'OutboxFull' } as const)
    const storage = provide(Dependency.storage, () => ({ store, outbox: { ...outbox, put } }))
    const { service, shop } = await newMailDesk(() => 'takes', {
      environment: mailLinkSettings(),
      modules: [storage],
    })
    const actor = { kind: 'application', id: shop.application.id } as const
    await succeed(service.registerUser(CONTEXT, { ...GRACE, sendConfirmation: true }, actor))
    expect(await listed(outbox)).to.have.lengthOf(1)
  })

  it('waits after five mails to the e-mail', async () => {
    for (let each = 0; each < 5; each += 1)
      await succeed(desk.service.startRecovery(CONTEXT, desk.caller, { email: GRACE.email }))
    expect(await fail(register())).to.include({ _tag: 'Throttled', tooMany: 'mails_to_email' })
  })

  for (const [what, environment] of [
    ['MAIL_URL', {}],
    ['ACCOUNT_PAGES=on', { ...mailLinkSettings(), ACCOUNT_PAGES: 'off' }],
  ] as const)
    it(`is refused without ${what}, and no other request of mails exists`, async () => {
      await open(environment)
      expect(await fail(register())).to.deep.equal({ _tag: 'Invalid', problems: ['SendConfirmationOff'] })
      expect(desk.service.mailLinks).to.equal(undefined)
      await succeed(register({ sendConfirmation: false, language: 'de' }))
    })
})
