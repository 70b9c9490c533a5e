import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'
import { hiddenIn, leadsTo } from './browser-desk.ts'
import { ceremonyIn, optionsIn, startWithPasskeys } from './passkeys-desk.ts'
import {
  codesIn,
  EVE,
  EXPIRED,
  PATH,
  type SecurityDesk,
  type SecurityService,
  STEP_UP,
  seen,
  told,
} from './security-service.ts'

const LIST_OF = ['/account/sign-in?continue=%2Faccount%2Fsecurity']

/** Every step of a form, and unknown ones. */
const STEPS = [
  'add_totp',
  'complete_totp',
  'add_passkey',
  'rename',
  'save_name',
  'ask_removal',
  'remove',
  'recovery_codes',
  'sign_up',
  '',
]

onMemory('an attack on the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  let browser: SecurityDesk
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startWithPasskeys(store, lasting.environment, ...lasting.modules)
    browser = page.desk()
    await browser.signIn()
  })
  afterEach(() => page.stop())

  const factors = () => succeed(store.listFactors(page.eveId))
  const kinds = async () => (await factors()).map(({ kind }) => kind).sort()
  /** Enrols an app, and waits for its next code. */
  const enrolled = async () => {
    const { secret, shown } = await browser.enrol()
    const list = await browser.list()
    page.time.now += 30_000
    const [factor_id, version] = [hiddenIn(list, 'factor_id'), hiddenIn(list, 'version')]
    return { secret, codes: codesIn(shown), form: { factor_id, version, name: 'mine' } }
  }

  for (const [who, prepare] of [
    ['of nobody', async () => page.desk()],
    [
      'with the password alone, while a factor is due,',
      async () => {
        const thief = page.desk()
        await thief.signIn()
        expect([...thief.cookies.keys()]).to.deep.equal(['__Host-portcullis-2nd'])
        return thief
      },
    ],
  ] as const)
    it(`${who} opens no session, shows no factor and changes none`, async () => {
      const { form } = await enrolled()
      const before = await factors()
      const thief = await prepare()
      expect(leadsTo(await thief.list())).to.deep.equal([303, ...LIST_OF])
      for (const step of STEPS) {
        const more = { ...form, enrolment: 'e', totp: '000000', credential: '{}' }
        expect(leadsTo(await thief.step(step, more)), step).to.deep.equal(EXPIRED)
      }
      expect(await factors()).to.deep.equal(before)
      expect(await page.data('UserSignedIn')).to.have.lengthOf(1)
    })

  it('in a session that is not fresh leads to a step-up, changes nothing, and the person goes on', async () => {
    const { secret, form } = await enrolled()
    page.time.now += 601_000
    const before = await factors()
    expect(leadsTo(await browser.list())).to.deep.equal(STEP_UP)
    for (const step of ['add_totp', 'ask_removal', 'remove', 'recovery_codes'])
      expect(leadsTo(await browser.step(step, form)), step).to.deep.equal(STEP_UP)
    expect(await factors()).to.deep.equal(before)
    const proof = { continue: PATH, totp: page.code(secret) }
    expect(leadsTo(await browser.post('/account/step-up', proof))).to.deep.equal([303, PATH])
    expect((await browser.list()).status).to.equal(200)
    expect(leadsTo(await browser.step('remove', form))).to.deep.equal(told('factor_removed'))
  })

  it('in a session that is not fresh starts no enrolment, also after a mistake', async () => {
    const { form } = await enrolled()
    page.time.now += 601_000
    for (const credential of ['', '{}'])
      expect(leadsTo(await browser.step('add_passkey', { credential }))).to.deep.equal(STEP_UP)
    const wrong = await browser.step('complete_totp', { enrolment: 'e', totp: '000000' })
    expect([wrong.status, hiddenIn(wrong, 'enrolment'), optionsIn(wrong)]).to.deep.equal([422, '', undefined])
    // The API lets it rename a factor, and keeps the notice until the step-up.
    expect(leadsTo(await browser.step('save_name', form))).to.deep.equal(told('factor_renamed'))
    expect(leadsTo(await browser.get(`${PATH}?notice=factor_renamed`))).to.deep.equal([
      303,
      `${STEP_UP[1]}%3Fnotice%3Dfactor_renamed`,
    ])
  })

  it('cannot make an enrolment fail that began while the session was fresh', async () => {
    page.time.now += 590_000
    const { secret, form } = await browser.start()
    page.time.now += 60_000
    expect(leadsTo(await browser.list())).to.deep.equal(STEP_UP)
    const added = await browser.step('complete_totp', { ...form, totp: page.code(secret) })
    expect(seen(added)).to.deep.equal([200, 'Your app was added'])
    expect((await browser.list()).status).to.equal(200)
  })

  for (const [name, change] of [
    ['a change of the factors in another one', async () => secondBrowserRenews()],
    ['a reset', () => succeed(page.service.resetUserFactors(CONTEXT, EVE.email))],
    ['the end of all sessions', () => succeed(page.service.endUserSessions(CONTEXT, EVE.email))],
    ['a disabled user', () => succeed(page.service.disableUser(CONTEXT, EVE.email))],
  ] as const)
    it(`in a session from before ${name} is led to the sign-in, and nothing was changed`, async () => {
      const { secret, form } = await enrolled()
      second = page.desk()
      await second.signIn()
      await second.post('/account/second-factor', { totp: page.code(secret) })
      const { form: enrolment } = await browser.start()
      await change()
      const before = await factors()
      for (const step of STEPS)
        expect(leadsTo(await browser.step(step, { ...form, ...enrolment })), step).to.deep.equal(EXPIRED)
      expect(await factors()).to.deep.equal(before)
    })
  let second: SecurityDesk
  const secondBrowserRenews = async () => expect(codesIn(await second.renewCodes())).to.have.lengthOf(10)

  it('with the factor of another user, or with the enrolment of one, changes nothing', async () => {
    const { form } = await enrolled()
    await succeed(page.service.completeEmailConfirmation(CONTEXT, { token: await page.confirmationToken() }))
    const ada = page.desk()
    await ada.signIn({ email: page.ada.email, password: page.ada.password })
    const before = await factors()
    // To Ada, a factor of Eve and one that never was are alike.
    for (const factor_id of [form.factor_id, 'never']) {
      expect(leadsTo(await ada.step('remove', { factor_id }))).to.deep.equal(told('factor_removed'))
      for (const step of ['rename', 'save_name'])
        expect(leadsTo(await ada.step(step, { factor_id, name: 'mine' }))).to.deep.equal(told('factor_gone'))
    }
    const { form: enrolment } = await browser.start()
    const device = await softwareAuthenticator()
    const credential = await device.create(ceremonyIn(await browser.list()))
    expect((await ada.step('complete_totp', enrolment)).status).to.equal(422)
    expect((await ada.step('add_passkey', { credential })).status).to.equal(422)
    expect(await factors()).to.deep.equal(before)
    expect(await succeed(store.listFactors(page.ada.id))).to.deep.equal([])
  })

  it('from another site changes nothing', async () => {
    const { form } = await enrolled()
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { 'sec-fetch-site': site }
      expect((await browser.post(PATH, { step: 'remove', ...form }, headers)).status).to.equal(403)
    }
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  it('with two enrolments that began together adds one app, and the other one begins again', async () => {
    const [one, other] = [await browser.start(), await browser.start()]
    const answers = await Promise.all([one, other].map(({ form }) => browser.step('complete_totp', form)))
    expect(answers.map(seen)).to.have.deep.members([
      [200, 'Your app was added'],
      [422, 'Add an authenticator app'],
    ])
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  it('with wrong codes pauses the user, and leaves recovery codes alone', async () => {
    const { secret, codes } = await enrolled()
    const right = [-1, 0, 1].map((steps) => page.code(secret, steps))
    const totp = ['000000', '111111', '222222', '333333'].find((one) => !right.includes(one)) ?? ''
    const tries = async (path: string, proof: Readonly<Record<string, string>>) => {
      if (path === '/account/step-up') return browser.post(path, proof)
      const thief = page.desk()
      await thief.signIn()
      return thief.post(path, proof)
    }
    const statuses: Array<number> = []
    for (const path of ['/account/second-factor', '/account/step-up'])
      for (let each = 0; each < 3; each += 1) statuses.push((await tries(path, { totp })).status)
    expect(statuses).to.deep.equal([422, 422, 422, 422, 422, 429])
    const paused = await tries('/account/second-factor', { totp: page.code(secret) })
    expect([paused.status, paused.headers['retry-after']]).to.deep.equal([429, '30'])
    expect(paused.html).to.include('name="recovery_code"').and.include('Wait 30 seconds')
    const [recovery_code = ''] = codes
    expect((await tries('/account/second-factor', { recovery_code })).status).to.equal(303)
  })

  it('with many changes is paused, and nothing is changed by then', async () => {
    const { form } = await enrolled()
    let last = await browser.step('save_name', { ...form, name: 'a' })
    for (let each = 0; each < 100 && last.status === 303; each += 1)
      last = await browser.step('save_name', { ...form, name: `name ${each}` })
    expect(last.status).to.equal(429)
    expect(last.html).to.include('Nothing was changed.').and.include(`href="${PATH}"`)
  })
})
