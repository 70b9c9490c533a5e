import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { FACTOR_SETTINGS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { heldCommits } from '../support/held-commits.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

const NOW = Date.parse('2026-11-20T12:00:15Z')

onEveryStore('changes of factors that race, at two instances', (stores) => {
  let both: TwoInstances
  let store: Store
  const { front, overtake, release } = heldCommits()

  before(async () => {
    const lasting = await stores.lasting(front)
    store = lasting.store
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      FACTOR_SETTINGS,
      ...lasting.modules,
      provide(Dependency.clock, () => () => NOW),
      provide(Dependency.steadyClock, () => async () => right(NOW)),
    )
  })
  afterEach(release)
  after(() => both.stop())

  const one = () => factorDesk(both.one, () => NOW)
  const other = () => factorDesk(both.other, () => NOW)
  const newUser = async () => {
    const user = await verifiedUser(both.one)
    return { user, token: await both.one.userToken(user) }
  }
  const verdict = ({ status, body }: Answer) => [
    status,
    body.errors?.map(({ code }: { code: number }) => code),
  ]
  const countOf = async (type: EventType, id: string) =>
    (await eventsOf(store, type)).filter(({ subject }) => subject.id === id).length
  const expectAgreement = async () =>
    expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])

  it('of two uses of one enrolment one wins', async () => {
    const { user, token } = await newUser()
    const { enrolment, secret } = (await one().start(token)).body
    const sent = { enrolment, totp: totpAt(secret, NOW) }
    const late = { late: () => one().complete(token, sent), writes: 'FactorEnrolled' } as const
    const refused = await overtake(late, async () =>
      expect((await other().complete(token, sent)).status).to.equal(201),
    )
    expect(verdict(refused)).to.deep.equal([422, [3]])
    expect(await countOf('FactorEnrolled', user.id)).to.equal(1)
    expect(await countOf('RecoveryCodesGenerated', user.id)).to.equal(1)
    await expectAgreement()
  })

  it('of two enrolments of one session one wins: the other one has ended', async () => {
    const { user, token } = await newUser()
    const enrol = async (desk: typeof one) => {
      const { enrolment, secret } = (await desk().start(token)).body
      return { enrolment, totp: totpAt(secret, NOW) }
    }
    const [first, second] = [await enrol(one), await enrol(other)]
    const answers = await Promise.all([one().complete(token, first), other().complete(token, second)])
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 422])
    expect(await countOf('FactorEnrolled', user.id)).to.equal(1)
    await expectAgreement()
  })

  it('an enrolment that a sign-out, a new password or a reset overtakes is refused, and nothing is written', async () => {
    for (const [end, refused] of [
      [(token: string) => both.other.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token }), 401],
      [
        (_: string, email: string) =>
          succeed(both.other.service.setPassword(CONTEXT, { user: email, password: 'set' })),
        401,
      ],
      [(_: string, email: string) => succeed(both.other.service.resetUserFactors(CONTEXT, email)), 401],
      [(_: string, email: string) => succeed(both.other.service.removeUser(CONTEXT, email)), 401],
    ] as const) {
      const { user, token } = await newUser()
      const { enrolment, secret } = (await one().start(token)).body
      const late = () => one().complete(token, { enrolment, totp: totpAt(secret, NOW) })
      const answer = await overtake({ late, writes: 'FactorEnrolled' }, () => end(token, user.email))
      expect(answer.status).to.equal(refused)
      expect(await countOf('FactorEnrolled', user.id)).to.equal(0)
      expect(await succeed(store.listFactors(user.id))).to.deep.equal([])
    }
    await expectAgreement()
  })

  it('of two removals of one factor one wins, and a new name that a removal overtakes is refused', async () => {
    const { user, token } = await newUser()
    const { id } = (await one().enrol(token)).answer.body
    const rename = () => one().rename(token, { factor_id: id, name: 'late' })
    const renamed = await overtake({ late: rename, writes: 'FactorRenamed' }, async () => {
      const answers = await Promise.all([
        one().remove(token, { factor_id: id }),
        other().remove(token, { factor_id: id }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 422])
    })
    expect(verdict(renamed)).to.deep.equal([422, [3]])
    expect(await countOf('FactorRemoved', user.id)).to.equal(1)
    expect(await countOf('FactorRenamed', user.id)).to.equal(0)
    const rows = await succeed(store.listRows({ table: 'factors', after: '', limit: 1_000 }))
    for (const row of rows.filter(({ userId }) => userId === user.id))
      expect([row.removed, row.name, row.material]).to.deep.equal([true, '', ''])
    await expectAgreement()
  })

  it('of two new sets of recovery codes the later one works', async () => {
    const { user, token } = await newUser()
    await one().enrol(token)
    const answers = await Promise.all([one().renewCodes(token), other().renewCodes(token)])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(await countOf('RecoveryCodesGenerated', user.id)).to.equal(3)
    expect((await one().list(token)).body.recovery_codes_left).to.equal(10)
    await expectAgreement()
  })

  it('new recovery codes that the removal of the last factor overtakes are refused', async () => {
    const { token } = await newUser()
    const { id } = (await one().enrol(token)).answer.body
    const late = { late: () => one().renewCodes(token), writes: 'RecoveryCodesGenerated' } as const
    const refused = await overtake(late, () => other().remove(token, { factor_id: id }))
    expect(verdict(refused)).to.deep.equal([422, [1]])
    expect((await one().list(token)).body).to.deep.equal({ factors: [], recovery_codes_left: null })
    await expectAgreement()
  })
})
