import { expect } from 'chai'
import { type AccountDesk, openDesk, RECOVERY } from '../support/account-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'

const HOUR = 3600
const NEXT = 'battery staple'
const UNUSABLE = {
  code: 4,
  message: 'token is unknown, was used or has ended. Start a new recovery.',
  param: 'token',
}
const missing = (code: number, param: string) => ({ code, message: `${param} is missing or empty.`, param })

onMemory('the routes of a recovery', (stores) => {
  let desk: AccountDesk
  before(async () => {
    desk = await openDesk(await stores.fresh())
  })
  after(() => desk.stop())
  afterEach(() => desk.clock.passSeconds(HOUR)) // each test has the starts of an hour

  describe('POST /api/v1/users/recovery', () => {
    it('returns a token, its lifetime, the user and the e-mail on record, and nothing else', async () => {
      const answer = await desk.startRecovery({ email: 'ADA@example.COM' })
      expect(answer.status).to.equal(200)
      const { token, ...rest } = answer.body
      expect(token).to.match(/^ort_[0-9A-Za-z]{49}$/)
      expect(rest).to.deep.equal({
        expires_in: HOUR,
        user_id: desk.user.id,
        email: 'Ada@Example.com',
        email_verified: false,
      })
      expect(answer.headers['cache-control']).to.equal('no-store')
    })

    it('returns the same bytes for an unknown e-mail, a malformed one, a disabled and a removed user', async () => {
      const answerTo = async (email: string) => {
        const { status, headers, body } = await desk.startRecovery({ email })
        const { date: _, 'x-request-id': __, ...same } = headers
        return { status, same, body: JSON.stringify(body) }
      }
      const unknown = await answerTo('eve@example.com')
      const nulls = { token: null, expires_in: HOUR, user_id: null, email: null, email_verified: null }
      expect(unknown.body).to.equal(JSON.stringify(nulls))
      expect(await answerTo('malformed')).to.deep.equal(unknown)
      const bob = 'bob@example.com'
      await desk.register(bob, 'bobs password')
      await succeed(desk.service.disableUser(CONTEXT, bob))
      expect(await answerTo(bob)).to.deep.equal(unknown)
      await succeed(desk.service.removeUser(CONTEXT, bob))
      expect(await answerTo(bob)).to.deep.equal(unknown)
    })

    it('is 422 with code 1 without an e-mail', async () => {
      const { status, body } = await desk.startRecovery({})
      expect([status, body.errors]).to.deep.equal([422, [missing(1, 'email')]])
    })
  })

  describe('POST /api/v1/users/recovery/complete', () => {
    it('sets the password and ends every session with any Authorization header', async () => {
      const session = await desk.userToken()
      const token = await desk.recoveryToken()
      const answer = await desk.send({
        method: 'POST',
        path: `${RECOVERY}/complete`,
        token: 'forged', // the one-time token is the proof
        body: { token, new_password: NEXT, new_password_check: NEXT },
      })
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { success: true, code: 100, message: 'The new password was set.' },
      ])
      expect((await desk.profile(session)).status).to.equal(401)
      expect((await desk.signIn(NEXT)).body.email_verified).to.equal(true)
      const again = await desk.recover(token)
      expect([again.status, again.body.errors]).to.deep.equal([422, [UNUSABLE]])
    })

    const differs = {
      code: 5,
      message: 'new_password_check differs from new_password.',
      param: 'new_password_check',
    }
    for (const [what, body, errors] of [
      ['no fields', {}, [missing(1, 'token'), missing(2, 'new_password'), missing(3, 'new_password_check')]],
      [
        'an unknown token and another repetition',
        { token: 'ort_x', new_password: NEXT, new_password_check: 'x' },
        [UNUSABLE, differs],
      ],
    ] as const) {
      it(`with ${what} is 422 with all problems`, async () => {
        const answer = await desk.completeRecovery(body)
        expect([answer.status, answer.body.errors]).to.deep.equal([422, errors])
      })
    }
  })
})
