import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { SecurityPage } from '../../application/factors/security-page.ts'
import type { PageVisitor } from '../../domain/page-visitor.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

const EVE = { email: 'eve@example.com', password: 'old' }
const INVALID = { _tag: 'InvalidToken' }

describe('the page for second factors, when Eve with a verified e-mail visits it', () => {
  let world: World
  let page: SecurityPage
  let visitor: PageVisitor
  beforeEach(async () => {
    world = await newWorld({ environment: FACTOR_SETTINGS })
    const { securityPage } = world.service
    if (securityPage === undefined) throw new Error('there is no page')
    page = securityPage
    await succeed(world.service.registerUser(CONTEXT, { ...EVE, emailVerified: true }, OPERATOR))
    visitor = await succeed(page.provePassword(CONTEXT, EVE))
  })

  const enrolment = () => {
    if (page.enrolTotp === undefined) throw new Error('nobody can enrol')
    return page.enrolTotp
  }
  const started = async (of = visitor) => {
    const { enrolment: state, secret } = await succeed(enrolment().start(of))
    return {
      secret,
      request: { enrolment: state, totp: totpAt(secret, world.clock.read()), name: undefined },
    }
  }
  /** Enrols an app, and returns its secret, and the visitor of the new proof. */
  const enrolled = async () => {
    const { secret, request } = await started()
    const { proof } = await succeed(enrolment().complete(CONTEXT, visitor, request))
    const found = await succeed(page.open(proof))
    if (!isSome(found)) throw new Error('the new proof is not accepted')
    return { secret, proved: found.value }
  }
  const only = async () => (await succeed(page.look(visitor))).factors[0]?.id

  it('when she enrols an app, then the new proof says so, and the one before it has ended', async () => {
    const { proof } = await succeed(page.look(visitor))
    const { proved } = await enrolled()
    expect(proved).to.include({ methods: 'password totp', provedAtMs: world.clock.read() })
    expect(await succeed(page.open(proof))).to.deep.equal(none)
  })

  it('when she enrols an app, then neither the password nor its former visitor changes anything more', async () => {
    await enrolled()
    const again = await succeed(page.provePassword(CONTEXT, EVE))
    const factorId = await only()
    for (const one of [visitor, again]) {
      expect((await succeed(page.look(one))).needsSecondStep).to.equal(true)
      const { request } = await started(one)
      const name = 'mine'
      expect(await fail(page.rename(CONTEXT, one, { factorId, name }))).to.deep.equal(INVALID)
      expect(await fail(page.remove(CONTEXT, one, { factorId }))).to.deep.equal(INVALID)
      expect(await fail(page.renewCodes(CONTEXT, one))).to.deep.equal(INVALID)
      expect(await fail(enrolment().complete(CONTEXT, one, request))).to.deep.equal(INVALID)
    }
  })

  it('when an app is enrolled between her look and her change, then her visit has ended', async () => {
    const { request } = await started()
    const { listFactors } = world.store
    let isBetween = true
    world.store.listFactors = (userId) => async () => {
      const found = await listFactors(userId)()
      if (isBetween) {
        isBetween = false
        await enrolled()
      }
      return found
    }
    expect(await fail(enrolment().complete(CONTEXT, visitor, request))).to.deep.equal(INVALID)
  })

  it('when the user is disabled between her password and her code, then the new proof opens nothing', async () => {
    const { secret } = await enrolled()
    world.clock.passSeconds(30)
    const again = await succeed(page.provePassword(CONTEXT, EVE))
    await succeed(world.service.disableUser(CONTEXT, EVE.email))
    const totp = totpAt(secret, world.clock.read())
    const proved = await succeed(page.proveSecondStep(CONTEXT, again, { totp }))
    expect(await succeed(page.open((await succeed(page.look(proved))).proof))).to.deep.equal(none)
  })

  it('when the store is full, then nothing changes, and the same change is possible later', async () => {
    const { proved } = await enrolled()
    const factorId = await only()
    world.store.readOnly = true
    expect(await fail(page.remove(CONTEXT, proved, { factorId }))).to.deep.equal(FULL)
    world.store.readOnly = false
    expect((await succeed(page.remove(CONTEXT, proved, { factorId }))).factors).to.deep.equal([])
  })

  it('when the list cannot be read after a change, then the outcome is unknown', async () => {
    const { proved } = await enrolled()
    const factorId = await only()
    const { listFactors } = world.store
    let looks = 0
    world.store.listFactors = (userId) => {
      looks += 1
      return looks === 1
        ? listFactors(userId)
        : async () => left({ _tag: 'StoreUnavailable', reason: 'lost' })
    }
    expect(await fail(page.remove(CONTEXT, proved, { factorId }))).to.include({ outcome: 'unknown' })
  })

  it('when no key seals, then there is no page', async () => {
    const modules = [provide(Dependency.sealing, () => none)]
    for (const given of [{}, { environment: FACTOR_SETTINGS, modules }])
      expect((await newWorld(given)).service.securityPage).to.equal(undefined)
  })
})
