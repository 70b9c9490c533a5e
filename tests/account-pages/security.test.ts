import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { enrolUser } from '../support/second-factors.ts'
import { codesAtFields, type PageAnswer } from './pages-service.ts'
import {
  codesIn,
  EVE,
  hiddenIn,
  isEnded,
  LIST,
  PATH,
  proofIn,
  SECOND_STEP,
  type SecurityService,
  secretIn,
  seen,
  startSecurity,
} from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

onMemory('the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startSecurity(store, lasting.environment, ...lasting.modules)
  })
  afterEach(() => page.stop())

  const factorId = (list: PageAnswer) => hiddenIn(list, 'factor_id')

  it('shows a form for e-mail and password, and after them at once the list', async () => {
    const first = await page.get(PATH)
    expect(seen(first)).to.deep.equal(LIST)
    expectStrictPage(first)
    const list = await page.signIn()
    expectStrictPage(list)
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html).to.include('You have no second factor.').and.include('Add an authenticator app')
    expect(list.html).not.to.include('New recovery codes')
  })

  it('enrols an app, and shows its recovery codes once as text', async () => {
    const { secret, shown } = await page.enrol(await page.signIn())
    expectStrictPage(shown)
    expect(seen(shown)).to.deep.equal([200, 'Your app was added'])
    expect(codesIn(shown)).to.have.lengthOf(10)
    const list = await page.step('list', shown)
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html)
      .to.include('>Authenticator app</h2>')
      .and.include('>20 November 2026</time>, not used yet.')
      .and.include('You have 10 codes left.')
    for (const text of [secret, ...codesIn(shown)]) expect(list.html).not.to.include(text)
    const [enrolled] = await page.data('FactorEnrolled')
    expect(enrolled).to.include({ kind: 'totp', sessions_version: 2 }).and.not.have.property('session_id')
    expect(await page.data('RecoveryCodesGenerated')).to.have.lengthOf(1)
    expect(await page.data('UserSignedIn')).to.deep.equal([])
  })

  it('shows the secret of an enrolment as a picture, as text in groups and as a link, and keeps it after a mistake', async () => {
    const form = await page.step('add_totp', await page.signIn())
    expectStrictPage(form)
    const secret = secretIn(form)
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(form.html)
      .to.match(/<svg class="qr" role="img" aria-label="[^"]+" viewBox=/)
      .and.include(
        `<a href="otpauth://totp/Portcullis:eve%40example.com?secret=${secret}&amp;issuer=Portcullis">`,
      )
    const enrolment = hiddenIn(form, 'enrolment')
    const wrong = await page.step('complete_totp', form, { enrolment, totp: '000000', name: 'Ada’s\nphone' })
    expect([wrong.status, codesAtFields(wrong.html)]).to.deep.equal([422, { totp: 5, name: 7 }])
    expect([secretIn(wrong), hiddenIn(wrong, 'enrolment')]).to.deep.equal([secret, enrolment])
    expect(wrong.html).not.to.include('value="000000"')
    const more = { enrolment, totp: page.code(secret), name: 'Ada’s <phone>' }
    const list = await page.step('list', await page.step('complete_totp', wrong, more))
    expect(list.html).to.include('>Ada’s &lt;phone&gt;</h2>')
  })

  it('asks a user with a factor for it, and takes the code of the app or a recovery code', async () => {
    const { secret, shown } = await page.enrol(await page.signIn())
    const [recovery_code = ''] = codesIn(shown)
    page.time.now += 30_000
    for (const [proof, left] of [
      [{ totp: page.code(secret) }, 10],
      [{ recovery_code }, 9],
    ] as const) {
      const second = await page.signIn()
      expect(seen(second)).to.deep.equal(SECOND_STEP)
      expectStrictPage(second)
      const list = await page.step('second_step', second, proof)
      expect(seen(list)).to.deep.equal(LIST)
      expect(list.html).to.include(`You have ${left} codes left.`)
    }
    expect((await page.data('FactorUsed')).map(({ kind }) => kind)).to.deep.equal(['totp', 'recovery_codes'])
    expect(await page.data('UserSignedIn')).to.deep.equal([])
  })

  it('renames a factor, makes new recovery codes, adds a second app and removes both', async () => {
    const { shown } = await page.enrol(await page.signIn())
    const list = await page.step('list', shown)
    const factor_id = factorId(list)
    const form = await page.step('rename', list, { factor_id })
    expect(form.html).to.include('value="Authenticator app"')
    const renamed = await page.step('save_name', form, { factor_id, name: 'Phone' })
    expect(renamed.html).to.include('>Phone</h2>').and.include('The name was saved.')
    const renewed = await page.step('recovery_codes', renamed)
    expect(codesIn(renewed)).to.have.lengthOf(10).and.not.include(codesIn(shown)[0])
    const { shown: second } = await page.enrol(renewed)
    expect(codesIn(second)).to.deep.equal([])
    const both = await page.step('list', second)
    const one = await page.step('remove', both, { factor_id })
    expect(one.html).not.to.include('>Phone</h2>')
    expect(one.html).to.include('You have 10 codes left.')
    const none = await page.step('remove', one, { factor_id: factorId(one) })
    expect(none.html).to.include('You have no second factor.')
    expect(seen(await page.signIn())).to.deep.equal(LIST)
    const { disagreements } = await succeed(
      checkLog({ store, clock: () => page.time.now, digests: nodeDigests }),
    )
    expect(disagreements).to.deep.equal([])
  })

  it('lets an unverified user enrol nothing, and says why', async () => {
    const { email, password } = page.ada
    const list = await page.signIn({ email, password })
    expect(list.html).to.include('first confirm your e-mail address').and.not.include('value="add_totp"')
    expect(isEnded(await page.step('add_totp', list))).to.equal(true)
  })

  it('has the same bytes for a wrong password, an unknown e-mail, and with or without a factor', async () => {
    const refusal = async (credentials: Readonly<Record<string, string>>) => {
      const { status, headers, html } = await page.signIn(credentials)
      const { date: _, 'x-request-id': __, ...others } = headers
      return { status, others, html: html.replace(/ value="[^"]*@[^"]*"/, '') }
    }
    const wrong = { ...EVE, password: 'wrong' }
    const without = await refusal(wrong)
    expect(without.status).to.equal(422)
    expect(await refusal({ ...wrong, email: 'ann@example.com' })).to.deep.equal(without)
    await page.enrol(await page.signIn())
    expect(await refusal(wrong)).to.deep.equal(without)
  })
})

onMemory('with SECOND_FACTORS=off, the page for second factors', (stores) => {
  it('adds none, and lists and removes those that are enrolled', async () => {
    const { store, environment, modules } = await stores.lasting()
    const page = await startSecurity(store, { ...environment, SECOND_FACTORS: 'off' }, ...modules)
    try {
      const { codeAt, app } = await enrolUser(store, page.eveId)
      const second = await page.signIn()
      expect(seen(second)).to.deep.equal(SECOND_STEP)
      const list = await page.step('second_step', second, { totp: codeAt(page.time.now) })
      expect(list.html).to.include(`>${app.name}</h2>`).and.not.include('value="add_totp"')
      for (const step of ['add_totp', 'complete_totp'])
        expect(isEnded(await page.step(step, list)), step).to.equal(true)
      const none = await page.step('remove', list, { factor_id: app.id })
      expect(none.html).to.include('You have no second factor.').and.not.include('value="add_totp"')
    } finally {
      await page.stop()
    }
  })
})

onMemory('if the secret of an app cannot be decrypted, the page for second factors', (stores) => {
  it('answers 503, and takes a recovery code', async () => {
    const { store, environment, modules } = await stores.lasting()
    const page = await startSecurity(store, environment, ...modules)
    try {
      const other = aesKeyWrapping([{ id: 'lost', secret: 'another-key-encryption-key'.repeat(2) }])
      const { recoveryCodes } = await enrolUser(store, page.eveId, {
        materialOf: (id) => other.wrap('A'.repeat(32), { kid: id, purpose: 'totp' }),
      })
      const answer = await page.step('second_step', await page.signIn(), { totp: '123456' })
      expectStrictPage(answer)
      expect(answer.status).to.equal(503)
      expect(answer.html).to.include('Use a recovery code')
      const list = await page.step('second_step', answer, { recovery_code: recoveryCodes[0] })
      expect(seen(list)).to.deep.equal(LIST)
    } finally {
      await page.stop()
    }
  })
})

describe('the page for second factors, at each mistake', () => {
  let page: SecurityService
  let list: PageAnswer
  before(async () => {
    const store = memoryStore()
    page = await startSecurity(
      store,
      {},
      provide(Dependency.storage, () => ({ store })),
    )
    list = await page.step('list', (await page.enrol(await page.signIn())).shown)
  })
  after(() => page.stop())

  for (const [name, form, codes] of [
    ['no field', {}, { email: 1, password: 2 }],
    ['no password', { email: EVE.email }, { password: 2 }],
    ['a wrong password', { ...EVE, password: 'wrong' }, { email: 3, password: 3 }],
  ] as const)
    it(`step 1 with ${name}: ${JSON.stringify(codes)}`, async () => {
      const { status, html } = await page.signIn(form)
      expect([status, codesAtFields(html)]).to.deep.equal([422, codes])
      expect(html).to.include('<title>Error: ')
    })

  for (const [name, form, codes] of [
    ['no code', {}, { totp: 4 }],
    ['both codes', { totp: '000000', recovery_code: 'a' }, { totp: 4 }],
    ['a wrong code', { totp: '12345' }, { totp: 5 }],
    ['a wrong recovery code', { recovery_code: 'a' }, { recovery_code: 6 }],
  ] as const)
    it(`step 2 with ${name}: ${JSON.stringify(codes)}`, async () => {
      const answer = await page.step('second_step', await page.signIn(), form)
      expectStrictPage(answer)
      expect([answer.status, codesAtFields(answer.html)]).to.deep.equal([422, codes])
      expect(proofIn(answer)).not.to.equal('')
    })

  for (const name of ['', 'x'.repeat(65), 'two\nlines'])
    it(`a new name ${JSON.stringify(name.slice(0, 9))}: 7 name`, async () => {
      const answer = await page.step('save_name', list, { factor_id: hiddenIn(list, 'factor_id'), name })
      expect([answer.status, codesAtFields(answer.html)]).to.deep.equal([422, { name: 7 }])
    })
})
