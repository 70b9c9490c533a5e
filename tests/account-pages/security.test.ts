import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { hiddenIn, leadsTo } from './browser-desk.ts'
import { codesAtFields } from './pages-service.ts'
import {
  codesIn,
  headingOf,
  LIST,
  type SecurityDesk,
  type SecurityService,
  secretIn,
  seen,
  startSecurity,
  told,
} from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

onMemory('the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  let browser: SecurityDesk
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startSecurity(store, lasting.environment, ...lasting.modules)
    browser = page.desk()
    await browser.signIn()
  })
  afterEach(() => page.stop())

  const factorId = async () => hiddenIn(await browser.list(), 'factor_id')

  it('shows that there is none, and how to add one', async () => {
    const list = await browser.list()
    expectStrictPage(list, 'same-origin')
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html)
      .to.include('You have no second factor.')
      .and.include('Add an authenticator app')
      .and.include('<a href="/account">')
    expect(list.html).not.to.include('New recovery codes')
  })

  it('enrols an app, shows its recovery codes once as text, and the session goes on', async () => {
    const other = page.desk()
    await other.signIn()
    const { secret, shown } = await browser.enrol()
    expectStrictPage(shown, 'same-origin')
    expect(seen(shown)).to.deep.equal([200, 'Your app was added'])
    expect(codesIn(shown)).to.have.lengthOf(10)
    const list = await browser.list()
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html)
      .to.include('>Authenticator app</h2>')
      .and.include('added on November 20, 2026 at 12:00 UTC. Not used yet.')
      .and.include('You have 10 codes left.')
    for (const text of [secret, ...codesIn(shown)]) expect(list.html).not.to.include(text)
    const [enrolled] = await page.data('FactorEnrolled')
    expect(enrolled).to.include({ kind: 'totp', sessions_version: 2 }).and.have.property('session_id')
    expect(await page.data('SessionSteppedUp')).to.have.lengthOf(1)
    expect((await other.get('/account')).status).to.equal(303)
  })

  it('takes a recovery code in the form of the answer, after too many wrong codes of the app', async () => {
    const [recovery = ''] = codesIn((await browser.enrol()).shown)
    const path = '/account/step-up'
    const wrong = () => browser.post(path, { totp: '000000', continue: '/account/security' })
    let refused = await wrong()
    for (let more = 0; more < 100 && refused.status === 422; more += 1) refused = await wrong()
    expect(refused.status).to.equal(429)
    expect(refused.html).to.include('name="recovery_code"')
    const form = { continue: hiddenIn(refused, 'continue'), recovery_code: recovery }
    expect(leadsTo(await browser.post(path, form))).to.deep.equal([303, '/account/security'])
  })

  it('shows the secret of an enrolment as a picture, as text in groups and as a link, and keeps it after a mistake', async () => {
    const { shown: form, secret } = await browser.start()
    expectStrictPage(form, 'same-origin')
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(form.html)
      .to.match(/<svg class="qr" role="img" aria-label="[^"]+" viewBox=/)
      .and.include(
        `<a href="otpauth://totp/Portcullis:eve%40example.com?secret=${secret}&amp;issuer=Portcullis">`,
      )
    const [enrolment, factor_id] = [hiddenIn(form, 'enrolment'), hiddenIn(form, 'factor_id')]
    const sent = { enrolment, factor_id, totp: '000000', name: 'Ada’s\nphone' }
    const wrong = await browser.step('complete_totp', sent)
    expect([wrong.status, codesAtFields(wrong.html)]).to.deep.equal([422, { totp: 5, name: 7 }])
    expect([secretIn(wrong), hiddenIn(wrong, 'enrolment')]).to.deep.equal([secret, enrolment])
    expect(wrong.html).not.to.include('value="000000"')
    const more = { enrolment, factor_id, totp: page.code(secret), name: 'Ada’s <phone>' }
    expect((await browser.step('complete_totp', more)).status).to.equal(200)
    expect((await browser.list()).html).to.include('>Ada’s &lt;phone&gt;</h2>')
  })

  it('renames a factor, makes new recovery codes, adds a second app and removes both', async () => {
    const { shown } = await browser.enrol()
    const factor_id = await factorId()
    const form = await browser.step('rename', { factor_id })
    expect(form.html).to.include('value="Authenticator app"')
    expect(leadsTo(await browser.step('save_name', { factor_id, name: 'Phone' }))).to.deep.equal(
      told('factor_renamed'),
    )
    expect((await browser.get('/account/security?notice=factor_renamed')).html)
      .to.include('>Phone</h2>')
      .and.include('<p class="done" role="status">The name was saved.</p>')
    const renewed = await browser.renewCodes()
    expect(codesIn(renewed)).to.have.lengthOf(10).and.not.include(codesIn(shown)[0])
    expect(leadsTo((await browser.enrol()).shown)).to.deep.equal(told('totp_added'))
    const asked = await browser.step('ask_removal', { factor_id })
    expect(asked.html).to.include('“Phone” no longer signs you in').and.include('name="step" value="remove"')
    expect(leadsTo(await browser.step('remove', { factor_id }))).to.deep.equal(told('factor_removed'))
    expect(leadsTo(await browser.step('ask_removal', { factor_id }))).to.deep.equal(told('factor_gone'))
    const one = await browser.list()
    expect(one.html).not.to.include('>Phone</h2>')
    expect(one.html).to.include('You have 10 codes left.')
    const last = { factor_id: await factorId() }
    expect((await browser.step('ask_removal', last)).html).to.include('is your last second factor')
    await browser.step('remove', last)
    expect((await browser.list()).html).to.include('You have no second factor.')
    const { disagreements } = await succeed(
      checkLog({ store, clock: () => page.time.now, digests: nodeDigests }),
    )
    expect(disagreements).to.deep.equal([])
  })

  it('speaks German, also in the names that it gives', async () => {
    const de = { ui_locales: 'de' }
    const shown = await browser.step('add_totp', de)
    expect(headingOf(shown)).to.equal('Authenticator-App hinzufügen')
    expect(hiddenIn(shown, 'ui_locales')).to.equal('de')
    const form = {
      enrolment: hiddenIn(shown, 'enrolment'),
      factor_id: hiddenIn(shown, 'factor_id'),
      totp: page.code(secretIn(shown)),
    }
    const added = await browser.step('complete_totp', { ...de, ...form })
    expect(headingOf(added)).to.equal('Ihre App wurde hinzugefügt')
    expect(added.html).to.include('href="/account/security?ui_locales=de"')
    expect((await browser.get('/account/security?ui_locales=de')).html)
      .to.include('>Authenticator-App</h2>')
      .and.include('Sie haben noch 10 Codes.')
    const removed = await browser.step('remove', { ...de, factor_id: form.factor_id })
    expect(leadsTo(removed)).to.deep.equal([303, '/account/security?notice=factor_removed&ui_locales=de'])
  })

  it('lets an unverified user enrol nothing, and says why', async () => {
    const ada = page.desk()
    await ada.signIn({ email: page.ada.email, password: page.ada.password })
    expect((await ada.list()).html)
      .to.include('first confirm your e-mail address')
      .and.not.include('value="add_totp"')
    expect(leadsTo(await ada.step('add_totp'))).to.deep.equal([303, '/account/security'])
  })

  it('leads an unknown step, and a factor that is gone, to the list', async () => {
    for (const step of ['', 'list', 'constructor', 'sign_in'])
      expect(leadsTo(await browser.step(step)), step).to.deep.equal([303, '/account/security'])
    for (const step of ['rename', 'save_name'])
      expect(leadsTo(await browser.step(step, { factor_id: 'x', name: 'mine' })), step).to.deep.equal(
        told('factor_gone'),
      )
  })
})

onMemory('with SECOND_FACTORS=off, the page for second factors', (stores) => {
  it('adds none, and lists and removes those that are enrolled', async () => {
    const { store, environment, modules } = await stores.lasting()
    const page = await startSecurity(store, { ...environment, SECOND_FACTORS: 'off' }, ...modules)
    try {
      const { codeAt, app } = await enrolUser(store, page.eveId)
      const browser = page.desk()
      await browser.signIn()
      await browser.post('/account/second-factor', { totp: codeAt(page.time.now) })
      const { html } = await browser.list()
      expect(html)
        .to.include(`>${app.name}</h2>`)
        .and.include('No second factor can be added at present.')
        .and.not.include('value="add_totp"')
      for (const step of ['add_totp', 'complete_totp', 'add_passkey'])
        expect(leadsTo(await browser.step(step)), step).to.deep.equal([303, '/account/security'])
      await browser.step('remove', { factor_id: app.id })
      const none = (await browser.list()).html
      expect(none).to.include('You have no second factor.').and.not.include('value="add_totp"')
    } finally {
      await page.stop()
    }
  })
})

onMemory('if the secret of an app cannot be decrypted, a person at the pages', (stores) => {
  it('reads that in a 503, and may use a recovery code', async () => {
    const { store, environment, modules } = await stores.lasting()
    const page = await startSecurity(store, environment, ...modules)
    try {
      const other = aesKeyWrapping([{ id: 'lost', secret: 'another-key-encryption-key'.repeat(2) }])
      const { recoveryCodes } = await enrolUser(store, page.eveId, {
        materialOf: (id) => other.wrap('A'.repeat(32), { kid: id, purpose: 'totp' }),
      })
      const browser = page.desk()
      await browser.signIn({ continue: '/account/security' })
      const answer = await browser.post('/account/second-factor', { totp: '123456' })
      expectStrictPage(answer, 'same-origin')
      expect(answer.status).to.equal(503)
      expect(answer.html).to.include('Use a recovery code')
      const [recovery_code = ''] = recoveryCodes
      expect(leadsTo(await browser.post('/account/second-factor', { recovery_code }))).to.deep.equal([
        303,
        '/account/security',
      ])
      expect((await browser.list()).html).to.include('You have 1 code left.')
    } finally {
      await page.stop()
    }
  })
})

describe('the page for second factors, at each mistake', () => {
  let page: SecurityService
  let browser: SecurityDesk
  before(async () => {
    const store = memoryStore()
    page = await startSecurity(
      store,
      {},
      provide(Dependency.storage, () => ({ store })),
    )
    browser = page.desk()
    await browser.signIn()
    await browser.enrol()
  })
  after(() => page.stop())

  for (const [name, form, codes] of [
    ['no code', { totp: '' }, { totp: 4 }],
    ['a wrong code', { totp: '000000' }, { totp: 5 }],
    ['no code and a long name', { totp: '', name: 'x'.repeat(65) }, { totp: 4, name: 7 }],
  ] as const)
    it(`an app with ${name}: ${JSON.stringify(codes)}`, async () => {
      const { form: right } = await browser.start()
      const answer = await browser.step('complete_totp', { ...right, ...form })
      expectStrictPage(answer, 'same-origin')
      expect([answer.status, codesAtFields(answer.html)]).to.deep.equal([422, codes])
      expect(answer.html).to.include('<title>Error: ')
    })

  it('an app whose enrolment has ended: 8, with a new start', async () => {
    const { form } = await browser.start()
    page.time.now += 601_000
    for (const sent of [form, { ...form, enrolment: '' }, { ...form, enrolment: 'x' }]) {
      const answer = await browser.step('complete_totp', sent)
      expect(seen(answer)).to.deep.equal([422, 'Add an authenticator app'])
      expect(answer.html).to.include('data-code="8"').and.include('value="add_totp"')
    }
    page.time.now -= 601_000
  })

  for (const name of ['', 'x'.repeat(65), 'two\nlines'])
    it(`a new name ${JSON.stringify(name.slice(0, 9))}: 7 name`, async () => {
      const factor_id = hiddenIn(await browser.list(), 'factor_id')
      const answer = await browser.step('save_name', { factor_id, name })
      expect([answer.status, codesAtFields(answer.html)]).to.deep.equal([422, { name: 7 }])
    })

  it('is not left with half a change if the user was disabled meanwhile', async () => {
    const { form } = await browser.start()
    await succeed(page.service.disableUser(CONTEXT, page.eveId))
    expect((await browser.step('complete_totp', form)).headers.location).to.include('notice=expired')
    expect(await page.data('FactorEnrolled')).to.have.lengthOf(1)
  })
})
