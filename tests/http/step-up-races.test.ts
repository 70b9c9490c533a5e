import { expect } from 'chai'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { type Instance, type Newcomer, PASSWORD, sessionRaces, TTL } from '../support/session-races.ts'
import { barrier } from '../support/waiting.ts'

const STEP_UP = '/api/v1/profile/step_up'
const RENEW = '/api/v1/auth/user/token/renew'

onEveryStore('a step-up that races, at two instances', (stores) => {
  const races = sessionRaces(stores)
  const { changePassword, endOthers, endings, expectAgreement, newcomer, overtake, positions, statuses } =
    races

  const stepUp = ({ session }: Newcomer, at: Instance = races.at().one) =>
    races.post(at, STEP_UP, session, { password: PASSWORD })
  const renew = ({ caller, session }: Newcomer, at: Instance) =>
    races.post(at, RENEW, caller, { token: session })

  for (const [where, instance] of [
    ['the same instance', () => races.at().one],
    ['the other instance', () => races.at().other],
  ] as const)
    describe(`against ${where}`, () => {
      for (const [what, { writes, end, setsPassword }] of Object.entries(endings)) {
        const refused = setsPassword === true ? [422, [2]] : [401, undefined]
        it(`gets ${refused[0]} if ${what} overtakes it: nothing is written behind the end`, async () => {
          const user = await newcomer()
          const late = { late: () => stepUp(user), writes: 'SessionSteppedUp' } as const
          const { status, body } = await overtake(late, () => end(instance(), user))
          expect([status, body.errors?.map(({ code }: { code: number }) => code)]).to.deep.equal(refused)
          expect(body).not.to.have.property('token')
          expect(await positions('SessionSteppedUp', user.id)).to.deep.equal([])
          expect(await statuses(user.session)).to.deep.equal([401, 401])
          await expectAgreement()
        })

        it(`is followed by ${what} that it overtakes: both tokens are refused`, async () => {
          const user = await newcomer()
          let stepped = ''
          await overtake({ late: () => end(instance(), user), writes }, async () => {
            const { status, body } = await stepUp(user)
            expect(status).to.equal(200)
            stepped = body.token
          })
          for (const token of [user.session, stepped]) expect(await statuses(token)).to.deep.equal([401, 401])
          const [position = Number.NaN, ...more] = await positions('SessionSteppedUp', user.id)
          expect(more).to.deep.equal([])
          const [ended] = await positions(writes, user.id, user.applicationId)
          expect(ended).to.be.above(position)
          await expectAgreement()
        })
      }

      it('gets 422 if a password change by its own session overtakes it, and the session lives on', async () => {
        const user = await newcomer()
        const late = { late: () => stepUp(user), writes: 'SessionSteppedUp' } as const
        const { status, body } = await overtake(late, () => changePassword(instance(), user.session))
        expect([status, body.errors[0].code]).to.deep.equal([422, 2])
        expect(await positions('SessionSteppedUp', user.id)).to.deep.equal([])
        expect(await statuses(user.session)).to.deep.equal([200, 200])
        await expectAgreement()
      })

      for (const [what, writes, other] of [
        ['its renewal', 'SessionRenewed', (at: Instance, user: Newcomer) => renew(user, at)],
        [
          'its own end of all others',
          'OtherSessionsEnded',
          (at: Instance, user: Newcomer) => endOthers(at, user.session),
        ],
      ] as const)
        for (const order of ['overtaken by', 'overtaking'] as const)
          it(`succeeds ${order} ${what}, which succeeds too`, async () => {
            const user = await newcomer()
            const stepping = () => stepUp(user)
            const another = async (): Promise<unknown> => other(instance(), user)
            let answer: Answer | undefined
            if (order === 'overtaken by')
              answer = await overtake({ late: stepping, writes: 'SessionSteppedUp' }, another)
            else
              await overtake({ late: another, writes }, async () => {
                answer = await stepping()
              })
            expect([answer?.status, answer?.body.expires_in]).to.deep.equal([200, TTL])
            for (const token of [user.session, answer?.body.token])
              expect(await statuses(token)).to.deep.equal([200, 200])
            expect(await positions('SessionSteppedUp', user.id)).to.have.lengthOf(1)
            expect(await positions(writes, user.id)).to.have.lengthOf(1)
            await expectAgreement()
          })
    })

  it('meets nine others that have decided, too: each succeeds and is written', async () => {
    const user = await newcomer()
    races.hold('SessionSteppedUp', barrier(10))
    const { one, other } = races.at()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => stepUp(user, index % 2 === 0 ? one : other)),
    )
    for (const { status, body } of answers) {
      expect(status).to.equal(200)
      expect(await statuses(body.token)).to.deep.equal([200, 200])
    }
    expect(await positions('SessionSteppedUp', user.id)).to.have.lengthOf(10)
    await expectAgreement()
  })
})
