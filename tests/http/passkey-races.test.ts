import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { heldCommits } from '../support/held-commits.ts'
import { succeed } from '../support/outcome.ts'
import { PASSKEY_SETTINGS, PASSKEY_SIGN_IN, passkeyDesk, permitPasskeys } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const NOW = Date.parse('2026-11-20T12:00:15Z')

onEveryStore('passkeys that race, at two instances', (stores) => {
  let both: TwoInstances
  let store: Store
  let now: number
  const { front, overtake, release } = heldCommits()

  before(async () => {
    now = NOW
    const lasting = await stores.lasting(front)
    store = lasting.store
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      PASSKEY_SETTINGS,
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
    await permitPasskeys(both.one)
  })
  afterEach(release)
  after(() => both.stop())

  const newUser = async () => {
    const user = await verifiedUser(both.one)
    return { user, token: await both.one.userToken(user) }
  }
  const desks = async () => {
    const device = await softwareAuthenticator()
    const { applicationToken } = both.one
    return {
      one: passkeyDesk(both.one, device),
      other: passkeyDesk({ send: both.other.send, applicationToken }, device),
    }
  }
  const countOf = async (type: EventType, id: string) =>
    (await eventsOf(store, type)).filter(({ subject }) => subject.id === id).length
  const expectAgreement = async () =>
    expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])

  it('of two uses of one assertion one wins', async () => {
    const { user, token } = await newUser()
    const { one, other } = await desks()
    expect((await one.enrol(token)).status).to.equal(201)
    now += 1_000
    const credential = await one.answered(await one.ask(PASSKEY_SIGN_IN), {
      userHandle: userHandleOf(user.id),
    })
    const use = (desk: typeof one) => () => desk.ask(`${PASSKEY_SIGN_IN}/complete`, { credential })
    const refused = await overtake({ late: use(one), writes: 'FactorUsed' }, async () =>
      expect((await use(other)()).status).to.equal(200),
    )
    expect([refused.status, refused.body.errors[0].code]).to.deep.equal([422, 2])
    expect(await countOf('FactorUsed', user.id)).to.equal(1)
    await expectAgreement()
  })

  it('prompts are answered in any order, at either instance, and each once', async () => {
    const { user, token } = await newUser()
    const { one, other } = await desks()
    expect((await one.enrol(token)).status).to.equal(201)
    const userHandle = userHandleOf(user.id)
    const prompt = () => one.ask(PASSKEY_SIGN_IN)
    const prompts = [await prompt(), await prompt()]
    now += 1_000
    prompts.push(await prompt())
    const credentials: Array<string> = []
    for (const options of prompts) credentials.push(await one.answered(options, { userHandle, counter: 0 }))
    const send = async (desk: typeof one, place: number) =>
      (await desk.ask(`${PASSKEY_SIGN_IN}/complete`, { credential: credentials[place] })).status
    expect([await send(one, 2), await send(other, 0), await send(one, 1)]).to.deep.equal([200, 200, 200])
    for (const desk of [one, other])
      for (const place of [0, 1, 2]) expect(await send(desk, place), `${place} again`).to.equal(422)
    expect(await countOf('FactorUsed', user.id)).to.equal(3)
    await expectAgreement()
  })

  it('two prompts that are answered at once both sign in', async () => {
    const { user, token } = await newUser()
    const { one, other } = await desks()
    expect((await one.enrol(token)).status).to.equal(201)
    const userHandle = userHandleOf(user.id)
    const [early, newer] = [await one.ask(PASSKEY_SIGN_IN), await one.ask(PASSKEY_SIGN_IN)]
    const [first, second] = [
      await one.answered(early, { userHandle, counter: 0 }),
      await one.answered(newer, { userHandle, counter: 0 }),
    ]
    const use = (desk: typeof one, credential: string) => () =>
      desk.ask(`${PASSKEY_SIGN_IN}/complete`, { credential })
    const late = await overtake({ late: use(one, first), writes: 'FactorUsed' }, async () =>
      expect((await use(other, second)()).status).to.equal(200),
    )
    expect(late.status).to.equal(200)
    expect((await use(other, first)()).status).to.equal(422)
    await expectAgreement()
  })

  it('of two users who register one passkey one gets it', async () => {
    const [ada, eve] = [await newUser(), await newUser()]
    const { one, other } = await desks()
    const credential = await one.register(await one.startEnrolment(ada.token))
    const late = {
      late: () => one.completeEnrolment(ada.token, { credential }),
      writes: 'FactorEnrolled',
    } as const
    const refused = await overtake(late, async () =>
      expect((await other.enrol(eve.token)).status).to.equal(201),
    )
    expect([refused.status, refused.body.errors[0].code]).to.deep.equal([422, 3])
    expect([
      await countOf('FactorEnrolled', ada.user.id),
      await countOf('FactorEnrolled', eve.user.id),
    ]).to.deep.equal([0, 1])
    await expectAgreement()
  })

  it('a registration that a reset overtakes is refused', async () => {
    const { user, token } = await newUser()
    const { one } = await desks()
    const credential = await one.register(await one.startEnrolment(token))
    const late = {
      late: () => one.completeEnrolment(token, { credential }),
      writes: 'FactorEnrolled',
    } as const
    const refused = await overtake(late, () =>
      succeed(both.other.service.resetUserFactors(CONTEXT, user.email)),
    )
    expect(refused.status).to.equal(401)
    expect(await countOf('FactorEnrolled', user.id)).to.equal(0)
    await expectAgreement()
  })
})
