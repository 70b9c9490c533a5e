import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { type EnrolledUser, enrolUser, userOf } from '../support/second-factors.ts'
import { codesAtFields, type PageAnswer } from './pages-service.ts'
import { EVE, proofIn, SECOND_STEP, type SecurityService, seen, startSecurity } from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

const PATH = '/account/password'
const NEW = 'a new and long phrase'
const FORM = { email: EVE.email, old_password: EVE.password, new_password: NEW, new_password_check: NEW }
const DONE = [200, 'Your password was changed']

describe('the second step of the page for passwords', () => {
  let store: Store
  let page: SecurityService
  let factor: EnrolledUser
  let second: PageAnswer
  beforeEach(async () => {
    store = memoryStore()
    page = await startSecurity(
      store,
      {},
      provide(Dependency.storage, () => ({ store })),
    )
    factor = await enrolUser(store, page.eveId)
    second = await page.postTo(PATH, FORM)
  })
  afterEach(() => page.stop())

  const send = (codes: Readonly<Record<string, string>>, from = second) =>
    page.postTo(PATH, { proof: proofIn(from), ...codes })
  const code = () => factor.codeAt(page.time.now)

  it('asks for a code after the right passwords, and then changes the password', async () => {
    expect(seen(second)).to.deep.equal(SECOND_STEP)
    expectStrictPage(second)
    const done = await send({ totp: code() })
    expect(seen(done)).to.deep.equal(DONE)
    expectStrictPage(done)
    expect(await page.data('FactorUsed')).to.have.lengthOf(1)
    expect(await page.data('PasswordSet')).to.have.lengthOf(1)
    expect(seen(await page.postTo(PATH, { ...FORM, old_password: NEW }))).to.deep.equal(SECOND_STEP)
  })

  it('shows mistakes at their fields, with the same proof and no secret', async () => {
    const wrong = await send({ recovery_code: 'wrong' })
    const none = await send({})
    const app = await send({ totp: 'wrong' })
    expect([wrong, none, app].map(({ status, html }) => [status, codesAtFields(html)])).to.deep.equal([
      [422, { recovery_code: 16 }],
      [422, { totp: 14 }],
      [422, { totp: 15 }],
    ])
    const { passwordRecord } = await userOf(store, page.eveId)
    for (const one of [second, wrong, none, app]) {
      expect(proofIn(one)).to.equal(proofIn(second))
      expectStrictPage(one)
      for (const secret of [EVE.password, NEW, EVE.email, passwordRecord, '$scrypt$'])
        expect(one.html).not.to.include(secret)
    }
  })
})
