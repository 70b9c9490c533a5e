import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { eventually } from '../support/eventually.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { permitPasskeys } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../testkit/passkey-verifier/software-authenticator.ts'
import { codesAtFields, type PageAnswer } from './pages-service.ts'
import {
  addPasskey,
  ceremonyIn,
  optionsIn,
  PAGES_ORIGIN,
  sendAlone,
  signInAlone,
  startWithPasskeys,
} from './passkeys-desk.ts'
import {
  codesIn,
  EVE,
  hiddenIn,
  isEnded,
  LIST,
  PATH,
  SECOND_STEP,
  type SecurityService,
  seen,
} from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

onMemory('passkeys on the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  let device: SoftwareAuthenticator
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startWithPasskeys(store, { ...lasting.environment, ...environment }, ...lasting.modules)
  }
  /** Starts with other settings, on another store. */
  const startAgain = async (environment: Readonly<Record<string, string>>) => {
    await page.stop()
    await start(environment)
  }
  beforeEach(async () => {
    await start()
    device = await softwareAuthenticator()
  })
  afterEach(() => page.stop())

  const factors = () => succeed(store.listFactors(page.eveId))
  const handle = () => ({ userHandle: userHandleOf(page.eveId) })
  /** Adds the passkey, and lets time pass so that later challenges are newer. */
  const enrolled = async () => {
    const shown = await addPasskey(page, await page.signIn(), device)
    page.time.now += 1_000
    return shown
  }
  const reasons = async () => (await page.data('SecondFactorRefused')).map(({ reason }) => reason)
  /** The code beside the button. */
  const codeAtButton = ({ html }: PageAnswer) =>
    Number(/id="credential-error" data-code="(\d+)"/.exec(html)?.[1])
  /** A page without what is new each time. */
  const bytes = ({ status, html }: PageAnswer) => [status, html.replace(/challenge&quot;:&quot;[\w-]+/g, '')]

  it('are added from the list, with recovery codes for the first one, and the visit goes on', async () => {
    const list = await page.signIn()
    expectStrictPage(list)
    expect(optionsIn(list)).to.deep.include({
      method: 'create',
      rp: { id: 'example.com', name: 'Portcullis' },
      user: { id: handle().userHandle, name: EVE.email, displayName: EVE.email },
    })
    const shown = await addPasskey(page, list, device)
    expectStrictPage(shown)
    expect(seen(shown)).to.deep.equal([200, 'Your passkey was added'])
    expect(codesIn(shown)).to.have.lengthOf(10)
    const after = await page.step('list', shown)
    expect(after.html).to.include('>Passkey</h2>').and.include('You have 10 codes left.')
    expect(optionsIn(after).excludeCredentials).to.deep.equal([
      { type: 'public-key', id: device.id, transports: ['internal'] },
    ])
    expect((await page.data('FactorEnrolled'))[0])
      .to.include({ kind: 'passkey' })
      .and.not.have.property('session_id')
    const second = await addPasskey(page, after, await softwareAuthenticator())
    expect(codesIn(second)).to.have.lengthOf(0)
  })

  it('answer the second step, also without a verification of the user', async () => {
    const roaming = await softwareAuthenticator({ flags: ['up'] })
    await addPasskey(page, await page.signIn(), roaming)
    const second = await page.signIn()
    expectStrictPage(second)
    expect(seen(second)).to.deep.equal(SECOND_STEP)
    expect(optionsIn(second)).to.include({ method: 'get', userVerification: 'discouraged' })
    expect(optionsIn(second).allowCredentials).to.have.lengthOf(1)
    const credential = await roaming.get(ceremonyIn(second))
    const list = await page.step('second_step', second, { credential })
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html).to.include('>20 November 2026</time>.')
    expect(await page.data('FactorUsed')).to.have.lengthOf(1)
    expect(await page.data('UserSignedIn')).to.deep.equal([])
    const removed = await page.step('remove', list, { factor_id: hiddenIn(list, 'factor_id') })
    expect(removed.html).to.include('You have no second factor.')
  })

  it('sign in alone, may change factors at once, and open no session', async () => {
    await enrolled()
    const first = await page.get(PATH)
    expectStrictPage(first)
    expect(optionsIn(first)).to.deep.include({ allowCredentials: [], userVerification: 'required' })
    const list = await signInAlone(page, device, handle())
    expect(seen(list)).to.deep.equal(LIST)
    const again = await page.step('recovery_codes', list)
    expect(codesIn(again)).to.have.lengthOf(10)
    const app = await page.enrol(await page.step('list', again))
    expect(seen(app.shown)).to.deep.equal([200, 'Your app was added'])
    expect(seen(await page.step('list', app.shown))).to.deep.equal(LIST)
    expect((await page.data('FactorUsed'))[0]).to.include({ kind: 'passkey' })
    expect(await page.data('UserSignedIn')).to.deep.equal([])
  })

  it('that do not sign in get one answer, and the log has the reasons', async () => {
    await enrolled()
    const stranger = await softwareAuthenticator()
    const answered = async (how: object, by = device, origin?: string) =>
      sendAlone(page, await by.get(ceremonyIn(await page.get(PATH), origin), { ...handle(), ...how }))
    const answers = [
      await answered({}, stranger),
      await answered({ client: { type: 'webauthn.create' } }),
      await answered({ flags: ['up'] }),
      await answered({ userHandle: userHandleOf(page.ada.id) }),
      await answered({}, device, 'https://shop.example.com'),
      await sendAlone(page, '{"id":'),
    ]
    await succeed(page.service.disableUser(CONTEXT, EVE.email))
    answers.push(await answered({}))
    for (const answer of answers) {
      expectStrictPage(answer)
      expect(codeAtButton(answer)).to.equal(9)
      expect(bytes(answer)).to.deep.equal(bytes(answers[0] as PageAnswer))
    }
    await eventually('all refusals are in the log', async () => (await reasons()).length === 6 || undefined)
    expect(await reasons()).to.deep.equal([
      'unknown_credential',
      'invalid_credential',
      'user_not_verified',
      'user_mismatch',
      'wrong_origin',
      'invalid_credential',
    ])
    expect(await page.data('FactorUsed')).to.deep.equal([])
  })

  it('answer no challenge of an application, of another button, of long ago, or twice', async () => {
    await enrolled()
    const { service } = page
    const keys = await succeed(
      service.registerApplication(CONTEXT, { name: 'tests', scope: 'users:sign_in' }),
    )
    await permitPasskeys({ service }, PAGES_ORIGIN)
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
    const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
    const started = await succeed(service.passkeys?.startSignIn(caller) ?? expect.fail('no passkeys'))
    const first = await page.get(PATH)
    const second = await page.signIn()
    const list = await signInAlone(page, device, handle())
    page.time.now += 1_000
    const ofApplication = { challenge: started.options.challenge, rpId: 'example.com', origin: PAGES_ORIGIN }
    for (const ceremony of [ofApplication, ceremonyIn(second), ceremonyIn(list)])
      expect((await sendAlone(page, await device.get(ceremony, handle()))).status).to.equal(422)
    for (const form of [await page.get(PATH), first]) {
      const answer = await device.get(ceremonyIn(form), handle())
      expect(seen(await sendAlone(page, answer))).to.deep.equal(LIST)
      expect((await sendAlone(page, answer)).status).to.equal(422)
    }
    const late = ceremonyIn(await page.get(PATH))
    page.time.now += 301_000
    expect((await sendAlone(page, await device.get(late, handle()))).status).to.equal(422)
    expect(await page.data('FactorUsed')).to.have.lengthOf(3)
  })

  it('prove no second step with the challenge of another visit, or with a passkey of another user', async () => {
    await enrolled()
    const other = await page.signIn()
    page.time.now += 1_000
    const second = await page.signIn()
    const stranger = await softwareAuthenticator()
    for (const credential of [
      await device.get(ceremonyIn(other)),
      await device.get(ceremonyIn(await page.get(PATH)), handle()),
      await stranger.get(ceremonyIn(second)),
      await device.get(ceremonyIn(second, 'https://shop.example.com')),
    ]) {
      const answer = await page.step('second_step', second, { credential })
      expectStrictPage(answer)
      expect([answer.status, codeAtButton(answer)]).to.deep.equal([422, 9])
      expect(answer.html).to.include('role="alert" tabindex').and.not.include(credential)
    }
    const both = { credential: await device.get(ceremonyIn(second)), totp: '000000' }
    const refused = await page.step('second_step', second, both)
    expect(codesAtFields(refused.html)).to.deep.equal({ totp: 4 })
    expect(await page.data('FactorUsed')).to.deep.equal([])
    const retried = { credential: await device.get(ceremonyIn(refused)) }
    expect(seen(await page.step('second_step', refused, retried))).to.deep.equal(LIST)
  })

  it('are not added with a wrong credential, with one of another visitor, twice, or with an ended proof', async () => {
    const list = await page.signIn()
    await succeed(page.service.completeEmailConfirmation(CONTEXT, { token: await page.confirmationToken() }))
    const ofAda = await page.signIn({ email: page.ada.email, password: page.ada.password })
    for (const [credential, code] of [
      ['', 9],
      ['{}', 9],
      [await device.create(ceremonyIn(ofAda)), 9],
      [await device.create(ceremonyIn(list, 'https://shop.example.com')), 9],
    ] as const) {
      const answer = await page.step('add_passkey', list, { credential })
      expectStrictPage(answer)
      expect([answer.status, codeAtButton(answer)]).to.deep.equal([422, code])
    }
    const credential = await device.create(ceremonyIn(list))
    const answers = await Promise.all([1, 2].map(() => page.step('add_passkey', list, { credential })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422])
    const taken = await page.step('add_passkey', ofAda, {
      credential: await device.create(ceremonyIn(ofAda)),
    })
    expect([taken.status, codeAtButton(taken)]).to.deep.equal([422, 10])
    const second = await page.signIn()
    expect(optionsIn(second).method).to.equal('get')
    const early = await page.step('add_passkey', second, { credential })
    expect(seen(early)).to.deep.equal([422, 'Enter a code'])
    page.time.now += 601_000
    expect(isEnded(await page.step('add_passkey', ofAda, { credential }))).to.equal(true)
    expect((await factors()).map(({ kind }) => kind).sort()).to.deep.equal(['passkey', 'recovery_codes'])
  })

  it('count wrong ones on the network', async () => {
    await startAgain({ THROTTLE_ADDRESS_FAILURES: '2' })
    await enrolled()
    const statuses = [
      await sendAlone(page, '{}'),
      await sendAlone(page, ''),
      await page.step('second_step', await page.signIn(), { credential: '{}' }),
      await signInAlone(page, device, handle()),
      await page.signIn(),
    ].map(({ status }) => status)
    expect(statuses).to.deep.equal([422, 422, 422, 429, 429])
  })

  it('have no button where the address of the pages is not on the domain of passkeys', async () => {
    await startAgain({ PUBLIC_URL: 'https://auth.example.org' })
    const list = await page.signIn()
    for (const answer of [await page.get(PATH), list]) {
      expectStrictPage(answer)
      expect([seen(answer), optionsIn(answer)]).to.deep.equal([LIST, undefined])
    }
    for (const step of ['passkey_sign_in', 'add_passkey'])
      expect(isEnded(await page.step(step, list, { credential: '{}' })), step).to.equal(true)
  })

  it('are not added with SECOND_FACTORS=off, and sign in', async () => {
    await startAgain({ SECOND_FACTORS: 'off' })
    const list = await page.signIn()
    expect([seen(list), optionsIn(list)]).to.deep.equal([LIST, undefined])
    expect(isEnded(await page.step('add_passkey', list, { credential: '{}' }))).to.equal(true)
    expect(optionsIn(await page.get(PATH)).method).to.equal('get')
  })
})
