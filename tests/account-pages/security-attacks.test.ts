import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { onMemory } from '../support/one-store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { codesAtFields, type PageAnswer } from './pages-service.ts'
import {
  codesIn,
  EVE,
  hiddenIn,
  isEnded,
  LIST,
  proofIn,
  SEALING,
  SECOND_STEP,
  type SecurityService,
  secretIn,
  seen,
  startSecurity,
} from './security-service.ts'

/** Every step of a form, and unknown ones. */
const STEPS = ['list', 'add_totp', 'complete_totp', 'rename', 'save_name', 'remove', 'recovery_codes']

onMemory('an attack on the page for second factors', (stores) => {
  let store: Store
  let page: SecurityService
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    page = await startSecurity(store, lasting.environment, ...lasting.modules)
  })
  afterEach(() => page.stop())

  const factors = () => succeed(store.listFactors(page.eveId))
  const kinds = async () => (await factors()).map(({ kind }) => kind).sort()
  /** Enrols an app, waits for its next code, and returns its secret, the codes and the list. */
  const enrolled = async () => {
    const { secret, shown } = await page.enrol(await page.signIn())
    const list = await page.step('list', shown)
    page.time.now += 30_000
    return { secret, codes: codesIn(shown), list, factor_id: hiddenIn(list, 'factor_id') }
  }

  it('with the password alone opens no session, shows no factor and changes none while one is due', async () => {
    const { factor_id } = await enrolled()
    const before = await factors()
    const second = await page.signIn()
    for (const step of [...STEPS, 'sign_up', '']) {
      const more = { factor_id, name: 'mine', enrolment: 'e', totp: '000000' }
      const answer = await page.step(step, second, more)
      expect(seen(answer), step).to.deep.equal([422, 'Enter a code'])
      expect(codesAtFields(answer.html)).to.deep.equal({ totp: 4 })
      expect(answer.html).not.to.include(factor_id)
    }
    expect(await factors()).to.deep.equal(before)
    for (const type of ['UserSignedIn', 'FactorUsed', 'FactorRenamed', 'FactorRemoved'] as const)
      expect(await page.data(type)).to.deep.equal([])
  })

  it('with the password is in the log, although no code follows', async () => {
    await enrolled()
    await page.signIn()
    const { subject, actor, data } = await eventually(
      'the refusal is in the log',
      async () => (await eventsOf(store, 'SecondFactorRefused'))[0],
    )
    expect({ subject, actor, data }).to.deep.equal({
      subject: { kind: 'user', id: page.eveId },
      actor: { kind: 'user', id: page.eveId },
      data: { reason: 'missing_field' },
    })
  })

  for (const [name, sealed] of [
    ['of another page', (parts: string) => SEALING.seal(parts, ['page', '/account/password'], 600)],
    [
      'for another purpose',
      (parts: string) => SEALING.seal(parts, ['totp_enrolment', '/account/security'], 600),
    ],
    ['that is not sealed', (parts: string) => parts],
    [
      'of unknown methods',
      (parts: string) => SEALING.seal(`${parts} magic`, ['page', '/account/security'], 600),
    ],
    [
      'of no user',
      (parts: string) =>
        SEALING.seal(parts.replace(/[0-9a-f-]{36}/, 'eve'), ['page', '/account/security'], 600),
    ],
    [
      'of another password',
      (parts: string) =>
        SEALING.seal(parts.replace('\n1.1\n', '\n2.1\n'), ['page', '/account/security'], 600),
    ],
    [
      'of other factors',
      (parts: string) =>
        SEALING.seal(parts.replace('\n1.1\n', '\n1.2\n'), ['page', '/account/security'], 600),
    ],
    ['that is missing', () => ''],
  ] as const)
    it(`with a proof ${name} ends the visit`, async () => {
      const parts = [page.time.now, 'NONCE', page.eveId, '1.1', 'password'].join('\n')
      expect(
        seen(await page.step('list', SEALING.seal(parts, ['page', '/account/security'], 600))),
      ).to.deep.equal(LIST)
      for (const step of ['list', 'second_step', 'add_totp', 'remove'])
        expect(isEnded(await page.step(step, sealed(parts))), step).to.equal(true)
    })

  it('with a proof of more than ten minutes ago ends the visit, also if it was in use meanwhile', async () => {
    const { list, factor_id } = await enrolled()
    page.time.now += 569_000 // 599 seconds after the enrolment
    const renewed = await page.step('recovery_codes', list)
    expect(codesIn(renewed)).to.have.lengthOf(10)
    page.time.now += 2_000
    for (const step of STEPS)
      expect(isEnded(await page.step(step, renewed, { factor_id, name: 'late' })), step).to.equal(true)
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  for (const [name, change] of [
    ['a change of the factors', (list: PageAnswer) => page.step('recovery_codes', list)],
    ['a reset', () => succeed(page.service.resetUserFactors(CONTEXT, EVE.email))],
    ['the end of all sessions', () => succeed(page.service.endUserSessions(CONTEXT, EVE.email))],
    ['a disabled user', () => succeed(page.service.disableUser(CONTEXT, EVE.email))],
  ] as const)
    it(`with a proof from before ${name} ends the visit`, async () => {
      const { secret, list, factor_id } = await enrolled()
      const second = await page.signIn()
      await change(list)
      const before = await factors()
      for (const step of STEPS) expect(isEnded(await page.step(step, list, { factor_id }))).to.equal(true)
      expect(isEnded(await page.step('second_step', second, { totp: page.code(secret) }))).to.equal(true)
      expect(await factors()).to.deep.equal(before)
      expect(await page.data('FactorUsed')).to.deep.equal([])
    })

  it('with the factor of another user, or with the enrolment of one, ends the visit', async () => {
    const { list, factor_id } = await enrolled()
    const ada = { email: page.ada.email, password: page.ada.password }
    await succeed(page.service.completeEmailConfirmation(CONTEXT, { token: await page.confirmationToken() }))
    const other = await page.signIn(ada)
    for (const step of ['remove', 'rename', 'save_name'])
      expect(isEnded(await page.step(step, other, { factor_id, name: 'mine' })), step).to.equal(true)
    const form = await page.step('add_totp', list)
    const sent = { enrolment: hiddenIn(form, 'enrolment'), totp: page.code(secretIn(form)) }
    expect(isEnded(await page.step('complete_totp', other, sent))).to.equal(true)
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  it('from another site changes nothing', async () => {
    const { list, factor_id } = await enrolled()
    for (const site of ['cross-site', 'same-site', 'none']) {
      const form = { step: 'remove', proof: proofIn(list), factor_id }
      expect((await page.post(form, { 'sec-fetch-site': site })).status).to.equal(403)
    }
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  /** Sends the code to a sign-in at an application, whose password was right. */
  const signInAtApplication = async (totp: string) => {
    const { service } = page
    const keys = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
    const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
    const due = await fail(service.signIn(CONTEXT, caller, EVE))
    const waiting = 'token' in due ? due.token : ''
    return () => service.completeSignIn(CONTEXT, caller, { token: waiting, totp })()
  }

  it('uses no code twice, also at an application', async () => {
    const { secret, codes } = await enrolled()
    const second = await page.signIn()
    const [recovery_code = ''] = codes
    const atApplication = await signInAtApplication(page.code(secret))
    for (const proof of [{ totp: page.code(secret) }, { recovery_code }]) {
      expect(seen(await page.step('second_step', second, proof))).to.deep.equal(LIST)
      expect((await page.step('second_step', second, proof)).status).to.equal(422)
    }
    expect(isRight(await atApplication())).to.equal(false)
  })

  it('with concurrent uses of one code, on the page and at an application, has one success', async () => {
    const { secret } = await enrolled()
    const totp = page.code(secret)
    const [one, other] = [await page.signIn(), await page.signIn()]
    const atApplication = await signInAtApplication(totp)
    const onPage = async (from: PageAnswer) => (await page.step('second_step', from, { totp })).status === 200
    const successes = await Promise.all([onPage(one), onPage(other), atApplication().then(isRight)])
    expect(successes.filter((isSuccess) => isSuccess)).to.have.lengthOf(1)
    expect(await page.data('FactorUsed')).to.have.lengthOf(1)
  })

  it('with two concurrent uses of one enrolment has one success, and the other visit ends', async () => {
    const form = await page.step('add_totp', await page.signIn())
    const sent = { enrolment: hiddenIn(form, 'enrolment'), totp: page.code(secretIn(form)) }
    const answers = await Promise.all([1, 2].map(() => page.step('complete_totp', form, sent)))
    expect(answers.map(isEnded).sort()).to.deep.equal([false, true])
    expect(await kinds()).to.deep.equal(['recovery_codes', 'totp'])
  })

  it('with wrong codes pauses the user, and leaves recovery codes and the password alone', async () => {
    const { secret, codes } = await enrolled()
    const right = [-1, 0, 1].map((steps) => page.code(secret, steps))
    const wrongCode = ['000000', '111111', '222222', '333333'].find((one) => !right.includes(one)) ?? ''
    const statuses: Array<number> = []
    for (let each = 0; each < 6; each += 1) {
      const second = await page.signIn()
      expect(seen(second)).to.deep.equal(SECOND_STEP)
      statuses.push((await page.step('second_step', second, { totp: wrongCode })).status)
    }
    expect(statuses).to.deep.equal([422, 422, 422, 422, 422, 429])
    const paused = await page.step('second_step', await page.signIn(), { totp: page.code(secret) })
    expect([paused.status, paused.headers['retry-after']]).to.deep.equal([429, '30'])
    expect(paused.html).to.include('name="recovery_code"').and.include('Wait 30 seconds')
    const [recovery_code = ''] = codes
    expect(seen(await page.step('second_step', paused, { recovery_code }))).to.deep.equal(LIST)
  })

  it('with wrong codes and wrong passwords counts on the network, too', async () => {
    await page.stop()
    const lasting = await stores.lasting()
    const limits = { THROTTLE_ADDRESS_FAILURES: '2', ...lasting.environment }
    page = await startSecurity(lasting.store, limits, ...lasting.modules)
    await enrolled()
    const second = await page.signIn()
    const statuses = [
      await page.step('second_step', second, { recovery_code: 'aaaa-aaaa-aaaa-aaaa-aaaa-aaaa' }),
      await page.signIn({ email: 'ann@example.com', password: 'wrong' }),
      await page.step('second_step', second, { recovery_code: 'aaaa-aaaa-aaaa-aaaa-aaaa-aaaa' }),
      await page.signIn(),
    ].map(({ status }) => status)
    expect(statuses).to.deep.equal([422, 422, 429, 429])
  })

  it('by a look at the screen reads no code or password that was sent', async () => {
    const { codes } = await enrolled()
    const [recovery_code = ''] = codes
    const both = await page.step('second_step', await page.signIn(), { totp: '246810', recovery_code })
    expect(codesAtFields(both.html)).to.deep.equal({ totp: 4 })
    for (const text of ['246810', recovery_code, EVE.password]) expect(both.html).not.to.include(text)
  })
})
