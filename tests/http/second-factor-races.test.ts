import { expect } from 'chai'
import { onEverySharedStore, onEveryStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import { succeed } from '../support/outcome.ts'
import {
  PASSED,
  refused,
  SIGN_IN,
  STEP_UP,
  startFactorDesks,
  verdict,
} from '../support/second-factor-service.ts'
import { userOf } from '../support/second-factors.ts'
import { barrier } from '../support/waiting.ts'
import { aFactor, change, enrolled } from '../testkit/builders.ts'

onEveryStore('second steps that race', (stores) => {
  let desk: Awaited<ReturnType<typeof startFactorDesks>>
  const { front, hold, overtake, release } = heldCommits()
  beforeEach(async () => {
    desk = await startFactorDesks(stores, front, { SECOND_FACTORS: 'off' })
  })
  afterEach(() => desk.stop())

  /** Sends the second request to the other instance. Both judge their proofs before the first write. */
  const atOnce = async (tokens: readonly [string, string], proof: object) => {
    hold('FactorUsed', barrier(2))
    const answers = await Promise.all([
      desk.complete(tokens[0], proof),
      desk.complete(tokens[1], proof, {}, desk.other),
    ])
    release()
    await desk.expectAgreement()
    expect(await desk.data('UserSignedIn')).to.have.lengthOf(1)
    expect(await desk.data('FactorUsed')).to.have.lengthOf(1)
    return answers.map(verdict).sort((one, other) => one.status - other.status)
  }

  it('of two concurrent uses of one code, one wins', async () => {
    const tokens = [await desk.pending(), await desk.pending()] as const
    expect(await atOnce(tokens, { totp: desk.code() })).to.deep.equal([PASSED, refused(4)])
  })

  it('of two concurrent uses of one recovery code, one wins', async () => {
    const tokens = [await desk.pending(), await desk.pending()] as const
    const proof = { recovery_code: desk.ada.recoveryCodes[0] }
    expect(await atOnce(tokens, proof)).to.deep.equal([PASSED, refused(5)])
  })

  it('of two concurrent uses of one pending token, one wins', async () => {
    const token = await desk.pending()
    expect(await atOnce([token, token], { totp: desk.code() })).to.deep.equal([PASSED, refused(3)])
  })

  it('two recovery codes at once both work', async () => {
    const tokens = [await desk.pending(), await desk.pending()] as const
    hold('FactorUsed', barrier(2))
    const answers = await Promise.all([
      desk.complete(tokens[0], { recovery_code: desk.ada.recoveryCodes[0] }),
      desk.complete(tokens[1], { recovery_code: desk.ada.recoveryCodes[1] }, {}, desk.other),
    ])
    expect(answers.map(verdict)).to.deep.equal([PASSED, PASSED])
    expect((await desk.data('FactorUsed')).map(({ codes_left }) => codes_left)).to.deep.equal([1, 0])
    await desk.expectAgreement()
  })

  it('of a sign-in and a step-up with one code, one wins', async () => {
    const session = await desk.userToken({ recovery_code: desk.ada.recoveryCodes[0] })
    const token = await desk.pending()
    hold('FactorUsed', barrier(2))
    const totp = desk.code()
    const [signedIn, steppedUp] = await Promise.all([
      desk.complete(token, { totp }),
      desk.post(STEP_UP, session, { totp }, {}, desk.other),
    ])
    expect([verdict(signedIn), verdict(steppedUp)]).to.deep.be.oneOf([
      [PASSED, refused(3)],
      [refused(4), PASSED],
    ])
    await desk.expectAgreement()
  })

  it('a sign-in in flight during an enrolment is dead on arrival; `SECOND_FACTORS=off` does not disable a due factor', async () => {
    const { id } = desk.running.user
    await desk.resetFactors()
    const app = aFactor({ userId: id, mark: 0, material: desk.ada.app.material })
    const late = { late: () => desk.signIn(), writes: 'UserSignedIn' } as const
    const { status, body } = await overtake(late, async () =>
      succeed(desk.store.commit(change(enrolled(app, await userOf(desk.store, id))))),
    )
    expect(status).to.equal(200)
    const profile = await desk.running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
    expect(profile.status).to.equal(401)
    expect(verdict(await desk.signIn())).to.deep.equal(refused(4))
  })

  it('a second step in flight during a password change is dead on arrival, and so is one during a reset', async () => {
    for (const [type, end] of [
      [
        'SessionsEnded',
        async () => change({ _tag: 'SessionsEnded', user: await userOf(desk.store, desk.running.user.id) }),
      ],
      [
        'FactorsReset',
        async () =>
          change({
            _tag: 'FactorsReset',
            user: await userOf(desk.store, desk.running.user.id),
            factors: await succeed(desk.store.listFactors(desk.running.user.id)),
          }),
      ],
    ] as const) {
      const token = await desk.pending()
      const totp = desk.code(type === 'FactorsReset' ? 30 : 0)
      const late = { late: () => desk.complete(token, { totp }), writes: 'FactorUsed' } as const
      const { status, body } = await overtake(late, async () => succeed(desk.store.commit(await end())))
      if (type === 'FactorsReset') expect([status, body.errors[0].code]).to.deep.equal([422, 3])
      else {
        expect(status).to.equal(200)
        const profile = await desk.running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
        expect(profile.status).to.equal(401)
      }
    }
    await desk.expectAgreement()
  })
})

onEverySharedStore('guesses at two instances', (stores) => {
  let desk: Awaited<ReturnType<typeof startFactorDesks>>
  before(async () => {
    desk = await startFactorDesks(stores)
  })
  after(() => desk.stop())

  it('parallel guesses on two instances never exceed the limit', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => desk.pending()))
    const answers = await Promise.all(
      tokens.map((token, index) =>
        desk.complete(token, { totp: desk.wrongCode() }, {}, index % 2 === 0 ? desk.running : desk.other),
      ),
    )
    expect(answers.filter(({ status }) => status === 422)).to.have.lengthOf(5)
    expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(15)
    for (const at of [desk.running, desk.other])
      expect((await desk.complete(tokens[0], { totp: desk.code() }, {}, at)).status).to.equal(429)
    const { body } = await desk.ask(SIGN_IN, { ...desk.running.user }, {}, desk.other)
    const cleared = { recovery_code: desk.ada.recoveryCodes[0] }
    expect(verdict(await desk.complete(body.second_factor.token, cleared, {}, desk.other))).to.deep.equal(
      PASSED,
    )
    expect(verdict(await desk.complete(tokens[0], { totp: desk.code() }))).to.deep.equal(PASSED)
  })
})
