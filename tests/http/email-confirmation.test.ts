import { expect } from 'chai'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { onMemory } from '../support/one-store.ts'

const NEW = 'ada@example.org'
const NOBODY = '0192f1a6-0000-7000-8000-000000000000'

onMemory('the routes of an e-mail confirmation', (stores) => {
  let desk: AccountDesk
  before(async () => {
    desk = await openDesk(await stores.fresh())
  })
  after(() => desk.stop())

  const start = (body: object) => desk.startConfirmation({ user_id: desk.user.id, ...body })

  describe('POST /api/v1/users/email_confirmation', () => {
    it('returns a token and its lifetime; of another e-mail also the one to tell', async () => {
      const { status, body } = await start({ email: desk.user.email })
      expect(status).to.equal(200)
      const { token, ...rest } = body
      expect(token).to.match(/^oct_[0-9A-Za-z]{49}$/)
      expect(rest).to.deep.equal({ expires_in: 86_400, notify: null })
      const other = await start({ email: NEW, password: desk.user.password })
      expect([other.status, other.body.notify]).to.deep.equal([200, desk.user.email])
    })

    it('is 422 with all problems', async () => {
      await desk.register('bob@example.com', 'bobs password')
      const missing = 'is missing or empty.'
      for (const [body, errors] of [
        [
          { user_id: undefined },
          [
            [1, 'user_id', missing],
            [2, 'email', missing],
            [3, 'password', `${missing} Another e-mail requires it.`],
          ],
        ],
        [
          { user_id: NOBODY, email: 'malformed', password: 'wrong' },
          [
            [4, 'user_id', 'is not an enabled user.'],
            [5, 'email', 'is not an e-mail address.'],
          ],
        ],
        [
          { email: 'BOB@example.com', password: 'wrong' },
          [
            [6, 'email', 'belongs to another user.'],
            [7, 'password', 'is not the password of the user.'],
          ],
        ],
      ] as const) {
        const answer = await start(body)
        expect([answer.status, answer.body.errors]).to.deep.equal([
          422,
          errors.map(([code, param, text]) => ({ code, message: `${param} ${text}`, param })),
        ])
      }
    })
  })

  describe('POST /api/v1/users/email_confirmation/complete', () => {
    it('makes the e-mail the verified e-mail of the user, and sessions continue', async () => {
      const session = await desk.userToken()
      const token = await desk.confirmationToken(NEW)
      const answer = await desk.completeConfirmation({ token })
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { success: true, code: 100, message: 'The e-mail was confirmed.' },
      ])
      const { body } = await desk.profile(session)
      expect(body).to.deep.equal({ email: NEW, id: desk.user.id, email_verified: true, roles: [] })
    })

    for (const [what, body, code, message] of [
      ['no token', {}, 1, 'token is missing or empty.'],
      [
        'an unknown token',
        { token: 'oct_unknown' },
        2,
        'token is unknown, was used or has ended, or its e-mail was taken. Start a new confirmation.',
      ],
    ] as const) {
      it(`with ${what} is 422 with code ${code}`, async () => {
        const answer = await desk.completeConfirmation(body)
        expect([answer.status, answer.body.errors]).to.deep.equal([422, [{ code, message, param: 'token' }]])
      })
    }
  })
})
