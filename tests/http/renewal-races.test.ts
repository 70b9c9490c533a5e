import { expect } from 'chai'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type Instance, type Newcomer, sessionRaces, TTL } from '../support/session-races.ts'
import { barrier } from '../support/waiting.ts'

const RENEW = '/api/v1/auth/user/token/renew'

onEveryStore('a renewal that races, at two instances', (stores) => {
  const races = sessionRaces(stores)
  const { changePassword, endOthers, endings, expectAgreement, newcomer, overtake, positions, statuses } =
    races

  const renew = ({ caller, session }: Newcomer, at: Instance = races.at().one) =>
    races.post(at, RENEW, caller, { token: session })

  for (const [where, instance] of [
    ['the same instance', () => races.at().one],
    ['the other instance', () => races.at().other],
  ] as const)
    describe(`against ${where}`, () => {
      for (const [what, { writes, end }] of Object.entries(endings)) {
        it(`is refused if ${what} overtakes it: nothing is written behind the end`, async () => {
          const user = await newcomer()
          const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
          const { status, body } = await overtake(late, () => end(instance(), user))
          expect([status, body.errors?.map(({ code }: { code: number }) => code)]).to.deep.equal([422, [2]])
          expect(await positions('SessionRenewed', user.id)).to.deep.equal([])
          expect(await statuses(user.session)).to.deep.equal([401, 401])
          await expectAgreement()
        })

        it(`is followed by ${what} that it overtakes: both tokens are refused`, async () => {
          const user = await newcomer()
          let renewed = ''
          await overtake({ late: () => end(instance(), user), writes }, async () => {
            const { status, body } = await renew(user)
            expect(status).to.equal(200)
            renewed = body.token
          })
          for (const token of [user.session, renewed]) expect(await statuses(token)).to.deep.equal([401, 401])
          expect((await renew({ ...user, session: renewed })).status).to.be.oneOf([401, 422])
          const [renewal = Number.NaN, ...more] = await positions('SessionRenewed', user.id)
          expect(more).to.deep.equal([])
          const [ended] = await positions(writes, user.id, user.applicationId)
          expect(ended).to.be.above(renewal)
          await expectAgreement()
        })
      }

      for (const [what, writes, change] of [
        ['its own password change', 'PasswordChanged', changePassword],
        ['its own end of all others', 'OtherSessionsEnded', endOthers],
      ] as const)
        for (const order of ['overtaken by', 'overtaking'] as const)
          it(`succeeds ${order} ${what}, as does the change`, async () => {
            const user = await newcomer()
            const renewing = () => renew(user)
            const changing = () => change(instance(), user.session)
            let answer: Answer | undefined
            if (order === 'overtaken by')
              answer = await overtake({ late: renewing, writes: 'SessionRenewed' }, changing)
            else
              await overtake({ late: changing, writes }, async () => {
                answer = await renewing()
              })
            expect([answer?.status, answer?.body.expires_in]).to.deep.equal([200, TTL])
            for (const token of [user.session, answer?.body.token])
              expect(await statuses(token)).to.deep.equal([200, 200])
            expect(await statuses(user.other)).to.deep.equal([401, 401])
            expect(await positions('SessionRenewed', user.id)).to.have.lengthOf(1)
            await expectAgreement()
          })
    })

  it('meets nineteen others that have decided, too: all return a token, and one is written', async () => {
    const user = await newcomer()
    races.hold('SessionRenewed', barrier(20))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        renew(user, index % 2 === 0 ? races.at().one : races.at().other),
      ),
    )
    for (const { status, body } of answers) {
      expect([status, body.expires_in]).to.deep.equal([200, TTL])
      expect(await statuses(body.token)).to.deep.equal([200, 200])
    }
    expect(await positions('SessionRenewed', user.id)).to.have.lengthOf(1)
    await expectAgreement()
  })

  it('is overtaken by a change of its application: it takes the new lifetimes', async () => {
    const user = await newcomer()
    const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
    const { status, body } = await overtake(late, () =>
      succeed(races.at().other.service.setApplication(CONTEXT, user.applicationId, { userTokenTtl: 300 })),
    )
    expect([status, body.expires_in]).to.deep.equal([200, 300])
    expect(await statuses(body.token)).to.deep.equal([200, 200])
    await expectAgreement()
  })
})
