import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'
import { hiddenIn, leadsTo, onceIn } from './browser-desk.ts'
import { startOther } from './other-instance.ts'
import type { PagesService } from './pages-service.ts'
import { ceremonyIn, PAGES_WITH_PASSKEYS, startWithPasskeys } from './passkeys-desk.ts'
import {
  clockOf,
  codesIn,
  PATH,
  type SecurityDesk,
  type SecurityService,
  seen,
  told,
} from './security-service.ts'

type Values = Readonly<Record<string, string>>

onMemory('a form of the page for second factors that arrives twice', (stores) => {
  let store: Store
  let page: SecurityService
  let other: Pick<PagesService, 'get' | 'post' | 'stop'>
  let browser: SecurityDesk
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startWithPasskeys(store, lasting.environment, ...lasting.modules)
    const environment = { ...FACTOR_SETTINGS, ...PAGES_WITH_PASSKEYS, ...lasting.environment }
    other = await startOther(environment, ...lasting.modules, ...clockOf(page.time))
    browser = page.desk()
    await browser.signIn()
  })
  afterEach(async () => {
    await other.stop()
    await page.stop()
  })

  /** Sends the same form of this browser to both instances, one after the other or at once. */
  const toBoth = async (form: Values, atOnce = false) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'sec-fetch-site': 'same-origin', cookie }
    const [one, two] = [() => page.post(PATH, form, headers), () => other.post(PATH, form, headers)]
    return atOnce ? Promise.all([one(), two()]) : [await one(), await two()]
  }
  const kinds = async () => (await succeed(store.listFactors(page.eveId))).map(({ kind }) => kind).sort()
  const factorId = async () => hiddenIn(await browser.list(), 'factor_id')
  /** What a registration on the list sends. */
  const passkeyForm = async () => {
    const list = await browser.list()
    const device = await softwareAuthenticator()
    return { step: 'add_passkey', credential: await device.create(ceremonyIn(list)) }
  }

  it('shows the same codes again within a minute, and makes none', async () => {
    const { form, shown } = await browser.start()
    const sent = { step: 'complete_totp', once: onceIn(shown), ...form }
    const both = [await browser.post(PATH, sent), await browser.post(PATH, sent)]
    expect(codesIn(both[0] as never)).to.have.lengthOf(10)
    expect(codesIn(both[1] as never)).to.deep.equal(codesIn(both[0] as never))
    const list = await browser.list()
    const renewal = { step: 'recovery_codes', once: onceIn(list), version: hiddenIn(list, 'version') }
    const twice = await Promise.all([browser.post(PATH, renewal), browser.post(PATH, renewal)])
    expect(codesIn(twice[0])).to.have.lengthOf(10).and.deep.equal(codesIn(twice[1]))
    expect(await page.data('RecoveryCodesGenerated')).to.have.lengthOf(2)
  })

  it('shows no codes again after the sign-out: the browser can send the form again for the next person', async () => {
    await browser.enrol()
    const list = await browser.list()
    const renewal = { step: 'recovery_codes', once: onceIn(list), version: hiddenIn(list, 'version') }
    expect(codesIn(await browser.post(PATH, renewal))).to.have.lengthOf(10)
    await browser.post('/account/sign-out', {})
    const again = await browser.post(PATH, renewal)
    expect(leadsTo(again)).to.deep.equal([
      303,
      '/account/sign-in?continue=%2Faccount%2Fsecurity&notice=expired',
    ])
    expect(codesIn(again)).to.deep.equal([])
  })

  for (const atOnce of [false, true])
    it(`at two instances ${atOnce ? 'at once' : 'in turn'} adds one app, and neither answer reads as a failure`, async () => {
      const { form } = await browser.start()
      const answers = await toBoth({ step: 'complete_totp', ...form }, atOnce)
      expect(answers.map(seen)).to.have.deep.members([
        [200, 'Your app was added'],
        [200, 'Your app was added already'],
      ])
      expect(answers.flatMap(codesIn)).to.have.lengthOf(10)
      const [again] = answers.filter((answer) => codesIn(answer).length === 0)
      expect(again?.html).to.include('Recovery codes are shown only once.')
      expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
      const renewed = await browser.renewCodes()
      expect(codesIn(renewed)).to.have.lengthOf(10)
    })

  for (const atOnce of [false, true])
    it(`at two instances ${atOnce ? 'at once' : 'in turn'} adds one passkey, and neither answer reads as a failure`, async () => {
      const answers = await toBoth(await passkeyForm(), atOnce)
      expect(answers.map(seen)).to.have.deep.members([
        [200, 'Your passkey was added'],
        [200, 'Your passkey was added already'],
      ])
      expect(await kinds()).to.deep.equal(['passkey', 'recovery_codes'])
      expect(await page.data('SecondFactorRefused')).to.deep.equal([])
    })

  it('at two instances adds another factor once, and says twice that it was added', async () => {
    await browser.enrol()
    const { form } = await browser.start()
    expect((await toBoth({ step: 'complete_totp', ...form })).map(leadsTo)).to.deep.equal([
      told('totp_added'),
      told('totp_added'),
    ])
    expect((await toBoth(await passkeyForm())).map(leadsTo)).to.deep.equal([
      told('passkey_added'),
      told('passkey_added'),
    ])
    expect(await kinds()).to.deep.equal(['passkey', 'recovery_codes', 'totp', 'totp'])
  })

  for (const atOnce of [false, true])
    it(`at two instances ${atOnce ? 'at once' : 'in turn'} makes new recovery codes once, so those that were shown are good`, async () => {
      await browser.enrol()
      const version = hiddenIn(await browser.list(), 'version')
      const answers = await toBoth({ step: 'recovery_codes', version }, atOnce)
      expect(answers.map(seen)).to.have.deep.members([
        [200, 'You have new recovery codes'],
        [200, 'Recovery codes'],
      ])
      const [code = ''] = answers.flatMap(codesIn)
      expect(leadsTo(await browser.post('/account/step-up', { recovery_code: code }))).to.deep.equal([
        303,
        '/account',
      ])
    })

  for (const [step, more, notice, event] of [
    ['remove', {}, 'factor_removed', 'FactorRemoved'],
    ['save_name', { name: 'Phone' }, 'factor_renamed', 'FactorRenamed'],
  ] as const)
    it(`at two instances says twice that it is done: ${step}`, async () => {
      await browser.enrol()
      const form = { step, factor_id: await factorId(), ...more }
      expect((await toBoth(form, true)).map(leadsTo)).to.deep.equal([told(notice), told(notice)])
      expect((await toBoth(form)).map(leadsTo)).to.deep.equal([told(notice), told(notice)])
      expect(await page.data(event)).to.have.lengthOf(1)
    })

  it('by a reload much later adds nothing, makes no codes, and says what was done', async () => {
    const { form } = await browser.start()
    await browser.step('complete_totp', form)
    const version = hiddenIn(await browser.list(), 'version')
    const renewed = await browser.step('recovery_codes', { version })
    page.time.now += 590_000
    expect(seen(await browser.step('complete_totp', form))).to.deep.equal([200, 'Your app was added already'])
    expect(seen(await browser.step('recovery_codes', { version }))).to.deep.equal([200, 'Recovery codes'])
    const [code = ''] = codesIn(renewed)
    expect((await browser.post('/account/step-up', { recovery_code: code })).status).to.equal(303)
    page.time.now += 3_600_000
    expect(seen(await browser.step('complete_totp', form))).to.deep.equal([200, 'Your app was added already'])
  })

  it('says that an app which was removed since is not there', async () => {
    const { form } = await browser.start()
    await browser.step('complete_totp', form)
    await browser.step('remove', { factor_id: await factorId() })
    const again = await browser.step('complete_totp', form)
    expect([again.status, again.html.includes('data-code="8"')]).to.deep.equal([422, true])
    expect(await kinds()).to.deep.equal([])
  })
})
