import { expect } from 'chai'
import { onEverySharedStore } from '../support/every-store.ts'
import { type Instance, type Newcomer, sessionRaces, TTL } from '../support/session-races.ts'

const RENEW = '/api/v1/auth/user/token/renew'

onEverySharedStore('a renewal by an expired token that races with the other instance', (stores) => {
  const races = sessionRaces(stores, { hasExpired: true })
  const { endings, expectAgreement, newcomer, overtake, positions, statuses } = races
  const { 'a sign-out': _, ...others } = endings // needs a valid token

  const renew = ({ caller, session }: Newcomer, at: Instance = races.at().one) =>
    races.post(at, RENEW, caller, { token: session })
  const other = () => races.at().other

  /** Its tokens renew nothing any more, on both instances. A revoked application has no valid token itself. */
  const expectEnded = async (user: Newcomer, ...tokens: ReadonlyArray<string>): Promise<void> => {
    for (const session of tokens) {
      expect(await statuses(session)).to.deep.equal([401, 401])
      for (const at of [races.at().one, other()]) {
        const { status, body } = await renew({ ...user, session }, at)
        expect([status, body.errors?.[0].code]).to.be.deep.oneOf([
          [422, 2],
          [401, undefined],
        ])
      }
    }
  }

  for (const [what, { writes, end }] of Object.entries(others)) {
    it(`is refused if ${what} overtakes it, and brings nothing back`, async () => {
      const user = await newcomer()
      expect(await statuses(user.session)).to.deep.equal([401, 401])
      const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
      const { status, body } = await overtake(late, () => end(other(), user))
      expect([status, body.errors?.[0].code, body.token]).to.deep.equal([422, 2, undefined])
      expect(await positions('SessionRenewed', user.id)).to.deep.equal([])
      await expectEnded(user, user.session)
      await expectAgreement()
    })

    it(`is followed by ${what} that it overtakes: its new token is refused, too`, async () => {
      const user = await newcomer()
      let renewed = ''
      await overtake({ late: () => end(other(), user), writes }, async () => {
        const { status, body } = await renew(user)
        expect([status, body.expires_in]).to.deep.equal([200, TTL])
        renewed = body.token
      })
      const [position = Number.NaN, ...more] = await positions('SessionRenewed', user.id)
      expect(more).to.deep.equal([])
      const [ended] = await positions(writes, user.id, user.applicationId)
      expect(ended).to.be.above(position)
      await expectEnded(user, user.session, renewed)
      await expectAgreement()
    })

    it(`that writes nothing is followed by ${what} that it overtakes, in the same way`, async () => {
      const user = await newcomer()
      const first = await renew(user)
      let renewed = ''
      await overtake({ late: () => end(other(), user), writes }, async () => {
        const { status, body } = await renew(user)
        expect([status, body.expires_in]).to.deep.equal([200, TTL])
        renewed = body.token
      })
      expect(await positions('SessionRenewed', user.id)).to.have.lengthOf(1)
      await expectEnded(user, user.session, first.body.token, renewed)
      await expectAgreement()
    })
  }
})
