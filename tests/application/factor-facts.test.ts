import { expect } from 'chai'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { enrolmentFacts } from '../../application/recording/factor-facts.ts'
import type { Fact } from '../../application/recording/facts.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { isUsable } from '../../domain/one-time-token.ts'
import { isAlive } from '../../domain/session.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import {
  aFactor,
  anApplication,
  aOneTimeToken,
  aSession,
  aUser,
  registered,
  registeredApplication,
  signedIn,
} from '../testkit/builders.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { CONTEXT, NOW } from './world.ts'

const given = async () => {
  const store = memoryStore()
  const clock = settableClock(NOW)
  const now = Math.floor(clock.read() / 1000)
  const record = recorder({ store, clock: clock.read, random: countingRandom(), digests: nodeDigests })
  const [user, application] = [aUser(), anApplication()]
  const by = { kind: 'application', id: application.id } as const
  const [own, other] = [aSession({ userId: user.id }), aSession({ userId: user.id })]
  const token = aOneTimeToken({
    userId: user.id,
    applicationId: application.id,
    purpose: 'sign_in',
    email: '',
  })
  const waiting = { ...token, label: some('Firefox on Linux') }
  const facts: ReadonlyArray<Fact> = [
    signedIn({ ...own, authenticatedAtSeconds: now }),
    signedIn({ ...other, authenticatedAtSeconds: now }),
    { _tag: 'SecondFactorRequested', user, token: waiting },
  ]
  await succeed(record([registeredApplication(application), registered(user), ...facts], by, CONTEXT))
  const sessionOf = async (id: string) => {
    const found = await succeed(store.findSession(id))
    if (!isSome(found)) throw new Error('the session does not exist')
    return found.value
  }
  const isUsableNow = async () => {
    const found = await succeed(store.findOneTimeToken(waiting.digest))
    return isSome(found) && isUsable(found.value, 'sign_in', now)
  }
  const findings = async () =>
    (await succeed(checkLog({ store, clock: clock.read, digests: nodeDigests }))).disagreements
  return { store, record, now, application, own, other, sessionOf, isUsableNow, findings }
}

const enrolmentOf = async ({ sessionOf, own, application, now }: Awaited<ReturnType<typeof given>>) => {
  const { user, session } = await sessionOf(own.id)
  const factor = aFactor({ userId: user.id, version: 0 })
  const codes = aFactor({ userId: user.id, kind: 'recovery_codes', mark: 0, counter: 10, version: 0 })
  const methods = 'password totp' as const
  return { user, factor, codes, own: { session, application, methods, authenticatedAtSeconds: now } }
}

describe('the enrolment of a factor', () => {
  for (const isFirst of [true, false])
    it(`${isFirst ? 'with recovery codes' : 'without recovery codes'} keeps its own session, which is AAL2, and ends all else`, async () => {
      const world = await given()
      expect(await world.isUsableNow()).to.equal(true)
      const { codes, ...enrolment } = await enrolmentOf(world)
      const facts = enrolmentFacts(isFirst ? { ...enrolment, codes } : enrolment)
      await succeed(world.record(facts, OPERATOR, CONTEXT))
      const own = await world.sessionOf(world.own.id)
      expect(isAlive(own, world.now)).to.equal(true)
      expect(own.session.methods).to.deep.equal('password totp')
      expect(isAlive(await world.sessionOf(world.other.id), world.now)).to.equal(false)
      expect(await world.isUsableNow()).to.equal(false)
      const kinds = (await succeed(world.store.listFactors(own.user.id))).map(({ kind }) => kind)
      expect(kinds).to.deep.equal(isFirst ? ['totp', 'recovery_codes'] : ['totp'])
      expect(await world.findings()).to.deep.equal([])
    })

  it('of two at once one is written', async () => {
    const world = await given()
    const [one, other] = [await enrolmentOf(world), await enrolmentOf(world)]
    await succeed(world.record(enrolmentFacts(one), OPERATOR, CONTEXT))
    expect(await fail(world.record(enrolmentFacts(other), OPERATOR, CONTEXT))).to.deep.equal({
      _tag: 'Conflict',
    })
  })
})

describe('the removal of the last factor', () => {
  it('removes the recovery codes in the same change', async () => {
    const world = await given()
    await succeed(world.record(enrolmentFacts(await enrolmentOf(world)), OPERATOR, CONTEXT))
    const { user, session } = await world.sessionOf(world.own.id)
    const factors = await succeed(world.store.listFactors(user.id))
    const factor = factors.find(({ kind }) => kind === 'totp')
    if (factor === undefined) throw new Error('the factor does not exist')
    await succeed(
      world.record([{ _tag: 'FactorRemoved', user, session, factor, factors }], OPERATOR, CONTEXT),
    )
    expect(await succeed(world.store.listFactors(user.id))).to.deep.equal([])
    expect(isAlive(await world.sessionOf(session.id), world.now)).to.equal(true)
    expect(await world.findings()).to.deep.equal([])
  })
})
