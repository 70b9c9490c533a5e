import { expect } from 'chai'
import type { EventType } from '../../domain/event.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type Ending,
  type Instance,
  type Newcomer,
  PASSWORD,
  sessionRaces,
  TTL,
} from '../support/session-races.ts'
import { barrier } from '../support/waiting.ts'

const RENEW = '/api/v1/auth/user/token/renew'
const STEP_UP = '/api/v1/profile/step_up'

/** A status and the codes of a 422. */
type Verdict = readonly [status: number, codes: ReadonlyArray<number> | undefined]

onEveryStore('what races with the other instance', (stores) => {
  const races = sessionRaces(stores)
  const { changePassword, endOthers, endings, expectAgreement, newcomer, overtake, positions, statuses } =
    races

  const renew = ({ caller, session }: Newcomer, at: Instance = races.at().one) =>
    races.post(at, RENEW, caller, { token: session })
  const stepUp = ({ session }: Newcomer, at: Instance = races.at().one) =>
    races.post(at, STEP_UP, session, { password: PASSWORD })
  const other = () => races.at().other
  const verdict = ({ status, body }: Answer): Verdict => [
    status,
    body.errors?.map(({ code }: { code: number }) => code),
  ]

  /** What gives a new token of a session. */
  type Gain = Readonly<{
    ask: typeof renew
    writes: EventType
    /** The answer if the session has ended. */
    refusal: (ending: Ending) => Verdict
  }>
  const GAINS: Readonly<Record<'a renewal' | 'a step-up', Gain>> = {
    'a renewal': { ask: renew, writes: 'SessionRenewed', refusal: () => [422, [2]] },
    'a step-up': {
      ask: stepUp,
      writes: 'SessionSteppedUp',
      refusal: ({ setsPassword }) => (setsPassword === true ? [422, [2]] : [401, undefined]),
    },
  }

  for (const [gain, { ask, writes: gains, refusal }] of Object.entries(GAINS))
    for (const [what, ending] of Object.entries(endings)) {
      it(`${gain} is refused if ${what} overtakes it: nothing is written behind the end`, async () => {
        const user = await newcomer()
        const answer = await overtake({ late: () => ask(user), writes: gains }, () =>
          ending.end(other(), user),
        )
        expect(verdict(answer)).to.deep.equal(refusal(ending))
        expect(answer.body).not.to.have.property('token')
        expect(await positions(gains, user.id)).to.deep.equal([])
        expect(await statuses(user.session)).to.deep.equal([401, 401])
        await expectAgreement()
      })

      it(`${gain} is followed by ${what} that it overtakes: both tokens are refused`, async () => {
        const user = await newcomer()
        let gained = ''
        await overtake({ late: () => ending.end(other(), user), writes: ending.writes }, async () => {
          const { status, body } = await ask(user)
          expect(status).to.equal(200)
          gained = body.token
        })
        for (const token of [user.session, gained]) expect(await statuses(token)).to.deep.equal([401, 401])
        expect((await renew({ ...user, session: gained })).status).to.be.oneOf([401, 422])
        const [position = Number.NaN, ...more] = await positions(gains, user.id)
        expect(more).to.deep.equal([])
        const [ended] = await positions(ending.writes, user.id, user.applicationId)
        expect(ended).to.be.above(position)
        await expectAgreement()
      })
    }

  const others = (user: Newcomer): Promise<unknown> => endOthers(other(), user.session)
  const change = (user: Newcomer): Promise<unknown> => changePassword(other(), user.session)
  for (const [gain, what, writes, act] of [
    ['a renewal', 'a password change', 'PasswordChanged', change],
    ['a renewal', 'the end of all others', 'OtherSessionsEnded', others],
    ['a step-up', 'the end of all others', 'OtherSessionsEnded', others],
    ['a step-up', 'a renewal', 'SessionRenewed', (user: Newcomer) => renew(user, other())],
  ] as const)
    for (const order of ['overtaken by', 'overtaking'] as const)
      it(`${gain} succeeds ${order} ${what} by its own session, as does that`, async () => {
        const { ask, writes: gains } = GAINS[gain]
        const user = await newcomer()
        let answer: Answer | undefined
        if (order === 'overtaken by')
          answer = await overtake({ late: () => ask(user), writes: gains }, () => act(user))
        else
          await overtake({ late: () => act(user), writes }, async () => {
            answer = await ask(user)
          })
        expect([answer?.status, answer?.body.expires_in]).to.deep.equal([200, TTL])
        for (const token of [user.session, answer?.body.token])
          expect(await statuses(token)).to.deep.equal([200, 200])
        for (const type of [gains, writes]) expect(await positions(type, user.id)).to.have.lengthOf(1)
        await expectAgreement()
      })

  it('a step-up gets 422 if a password change by its own session overtakes it, and the session lives on', async () => {
    const user = await newcomer()
    const late = { late: () => stepUp(user), writes: 'SessionSteppedUp' } as const
    expect(verdict(await overtake(late, () => change(user)))).to.deep.equal([422, [2]])
    expect(await positions('SessionSteppedUp', user.id)).to.deep.equal([])
    expect(await statuses(user.session)).to.deep.equal([200, 200])
    await expectAgreement()
  })

  it('a renewal is overtaken by a change of its application: it takes the new lifetimes', async () => {
    const user = await newcomer()
    const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
    const { status, body } = await overtake(late, () =>
      succeed(other().service.setApplication(CONTEXT, user.applicationId, { userTokenTtl: 300 })),
    )
    expect([status, body.expires_in]).to.deep.equal([200, 300])
    expect(await statuses(body.token)).to.deep.equal([200, 200])
    await expectAgreement()
  })

  for (const [gain, count, written] of [
    ['a renewal', 20, 1],
    ['a step-up', 10, 10],
  ] as const)
    it(`${gain} meets others that have decided, too: all ${count} return a token (entries: ${written})`, async () => {
      const { ask, writes } = GAINS[gain]
      const user = await newcomer()
      races.hold(writes, barrier(count))
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) => ask(user, index % 2 === 0 ? races.at().one : other())),
      )
      for (const { status, body } of answers) {
        expect([status, body.expires_in]).to.deep.equal([200, TTL])
        expect(await statuses(body.token)).to.deep.equal([200, 200])
      }
      expect(await positions(writes, user.id)).to.have.lengthOf(written)
      await expectAgreement()
    })
})
