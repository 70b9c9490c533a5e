import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { permitPasskeys } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../testkit/passkey-verifier/software-authenticator.ts'
import { hiddenIn, leadsTo } from './browser-desk.ts'
import type { PageAnswer } from './pages-service.ts'
import {
  addPasskey,
  asEve,
  ceremonyIn,
  optionsIn,
  PAGES_ORIGIN,
  signInAlone,
  startWithPasskeys,
} from './passkeys-desk.ts'
import {
  codesIn,
  EVE,
  LIST,
  PATH,
  type SecurityDesk,
  type SecurityService,
  seen,
  told,
} from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

onMemory('passkeys on the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  let browser: SecurityDesk
  let device: SoftwareAuthenticator
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startWithPasskeys(store, { ...lasting.environment, ...environment }, ...lasting.modules)
    browser = page.desk()
    await browser.signIn()
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

  /** An application vouches for Ada, so her password goes. There she adds a passkey. */
  const claimAda = async () => {
    const { service, ada } = page
    const scope = 'users:vouch users:sign_in users:confirm_email'
    const keys = await succeed(service.registerApplication(CONTEXT, { name: 'tests', scope }))
    await permitPasskeys({ service }, PAGES_ORIGIN)
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
    const caller = await succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
    const vouched = { userId: undefined, email: ada.email, emailVerified: true, method: 'fed' }
    const signedIn = await succeed(service.signInVouched(CONTEXT, caller, vouched))
    const user = await succeed(service.authenticate(CONTEXT, 'startEnrolment', signedIn.token))
    const enrol = service.passkeys?.enrol ?? expect.fail('no passkeys')
    const { options } = await succeed(enrol.start(user))
    const ceremony = { challenge: options.challenge, rpId: 'example.com', origin: PAGES_ORIGIN }
    const request = { credential: await device.create(ceremony), name: undefined }
    await succeed(enrol.complete(CONTEXT, user, request))
  }
  /** The code beside the button. */
  const codeAtButton = ({ html }: PageAnswer) =>
    Number(/id="credential-error" data-code="(\d+)"/.exec(html)?.[1])

  it('are added from the list, with recovery codes for the first one, and the session goes on', async () => {
    const list = await browser.list()
    expectStrictPage(list, 'same-origin')
    expect(optionsIn(list)).to.deep.include({
      method: 'create',
      rp: { id: 'example.com', name: 'Portcullis' },
      user: { id: asEve(page).userHandle, name: EVE.email, displayName: EVE.email },
    })
    const shown = await addPasskey(browser, device)
    expectStrictPage(shown, 'same-origin')
    expect(seen(shown)).to.deep.equal([200, 'Your passkey was added'])
    expect(codesIn(shown)).to.have.lengthOf(10)
    const after = await browser.list()
    expect(after.html).to.include('>Passkey</h2>').and.include('You have 10 codes left.')
    expect(optionsIn(after).excludeCredentials).to.deep.equal([
      { type: 'public-key', id: device.id, transports: ['internal'] },
    ])
    expect((await page.data('FactorEnrolled'))[0])
      .to.include({ kind: 'passkey' })
      .and.have.property('session_id')
    expect(leadsTo(await addPasskey(browser, await softwareAuthenticator()))).to.deep.equal(
      told('passkey_added'),
    )
  })

  it('prove a person again, also without a verification of the user', async () => {
    const roaming = await softwareAuthenticator({ flags: ['up'] })
    await addPasskey(browser, roaming)
    page.time.now += 601_000
    const form = await browser.get('/account/step-up?continue=/account/security')
    expectStrictPage(form, 'same-origin')
    expect(optionsIn(form)).to.include({ method: 'get', userVerification: 'discouraged' })
    const credential = await roaming.get(ceremonyIn(form))
    const proved = await browser.post('/account/step-up', { credential, continue: PATH })
    expect(leadsTo(proved)).to.deep.equal([303, PATH])
    const list = await browser.list()
    expect(list.html).to.include('Last used on November 20, 2026 at 12:10 UTC.')
    await browser.step('remove', { factor_id: hiddenIn(list, 'factor_id') })
    expect((await browser.list()).html).to.include('You have no second factor.')
  })

  it('are all that a person without a password needs to do everything', async () => {
    await claimAda()
    page.time.now += 1_000
    const own = page.desk()
    const userHandle = userHandleOf(page.ada.id)
    expect(leadsTo(await signInAlone(own, device, { userHandle }))).to.deep.equal([303, PATH])
    expect(seen(await own.list())).to.deep.equal(LIST)
    expect(codesIn(await own.renewCodes())).to.have.lengthOf(10)
    expect(leadsTo((await own.enrol()).shown)).to.deep.equal(told('totp_added'))
    const other = await softwareAuthenticator()
    expect(leadsTo(await addPasskey(own, other))).to.deep.equal(told('passkey_added'))
    page.time.now += 601_000
    expect(leadsTo(await own.list())[1]).to.include('/account/step-up')
    const form = await own.get('/account/step-up?continue=/account/security')
    expect(form.html).not.to.include('name="password"')
    expect(optionsIn(form)).to.include({ userVerification: 'required' })
    const credential = await other.get(ceremonyIn(form), { userHandle })
    expect((await own.post('/account/step-up', { credential })).status).to.equal(303)
    const removed = []
    for (const id of [...(await own.list()).html.matchAll(/name="factor_id" value="([^"]+)"/g)])
      removed.push(leadsTo(await own.step('remove', { factor_id: id[1] ?? '' })))
    expect(removed.filter((to) => to[1] === `${PATH}?notice=factor_removed`)).to.have.lengthOf(2)
    expect(removed).to.deep.include(told('last_way_in'))
    const kept = await own.get(`${PATH}?notice=last_way_in`)
    expect(kept.html).to.include('you could not sign in any more').and.include('data-code="3"')
    expect(optionsIn(kept).excludeCredentials).to.have.lengthOf(1)
    expect(leadsTo(await addPasskey(own, await softwareAuthenticator()))).to.deep.equal(told('passkey_added'))
  })

  it('are not added with a wrong credential, with one of another user, or for another origin', async () => {
    await succeed(page.service.completeEmailConfirmation(CONTEXT, { token: await page.confirmationToken() }))
    const ada = page.desk()
    await ada.signIn({ email: page.ada.email, password: page.ada.password })
    const list = await browser.list()
    for (const credential of [
      '',
      '{}',
      await device.create(ceremonyIn(await ada.list())),
      await device.create(ceremonyIn(list, 'https://shop.example.com')),
      await device.create(ceremonyIn(await page.get('/account/sign-in'))),
    ]) {
      const answer = await browser.step('add_passkey', { credential })
      expectStrictPage(answer, 'same-origin')
      expect([answer.status, codeAtButton(answer)]).to.deep.equal([422, 9])
      expect(answer.html).to.include('role="alert" tabindex').and.not.include('clientDataJSON')
    }
    await addPasskey(browser, device)
    const taken = await addPasskey(ada, device)
    expect([taken.status, codeAtButton(taken)]).to.deep.equal([422, 10])
    const late = await device.create(ceremonyIn(await ada.list()))
    page.time.now += 301_000
    expect((await ada.step('add_passkey', { credential: late })).status).to.equal(422)
    expect(await succeed(store.listFactors(page.ada.id))).to.deep.equal([])
  })

  it('have no button where the address of the pages is not on the domain of passkeys', async () => {
    await startAgain({ PUBLIC_URL: 'https://auth.example.org' })
    const list = await browser.list()
    for (const answer of [await page.get('/account/sign-in'), list]) {
      expectStrictPage(answer, 'same-origin')
      expect([answer.status, optionsIn(answer)]).to.deep.equal([200, undefined])
    }
    expect(leadsTo(await browser.step('add_passkey', { credential: '{}' }))).to.deep.equal([303, PATH])
    const refused = await page.desk().post('/account/sign-in', { credential: '{}' })
    expect(refused.status).to.equal(422)
  })

  it('are not added with SECOND_FACTORS=off, and sign in', async () => {
    await startAgain({ SECOND_FACTORS: 'off' })
    expect(optionsIn(await browser.list())).to.equal(undefined)
    expect(leadsTo(await browser.step('add_passkey', { credential: '{}' }))).to.deep.equal([303, PATH])
    expect(optionsIn(await page.get('/account/sign-in')).method).to.equal('get')
  })
})
