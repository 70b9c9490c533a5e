import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const PATH = '/api/v1/users'

onMemory('POST /api/v1/users', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService({ ...(await stores.fresh()), THROTTLE_REGISTRATIONS: '3' })
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const register = (body: object, as = token, headers: Record<string, string> = {}) =>
    running.send({ method: 'POST', path: PATH, token: as, body, headers })
  const signIn = (email: string, password: string) =>
    running.send({ method: 'POST', path: '/api/v1/auth/user/token', token, body: { email, password } })

  it('returns 201 with the id, the e-mail and whether it is verified, and nothing else', async () => {
    const answer = await register({ email: 'Grace@Example.com', password: 'compiler' })
    expect(answer.status).to.equal(201)
    expect(Object.keys(answer.body)).to.deep.equal(['id', 'email', 'email_verified'])
    expect(answer.body.email_verified).to.equal(false)
    expect(answer.body.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(answer.body.email).to.equal('Grace@Example.com')
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect((await signIn('grace@example.com', 'compiler')).body.user_id).to.equal(answer.body.id)
  })

  it('ignores unknown fields, including fields of a stored user', async () => {
    const { status, body } = await register({
      id: 'chosen',
      email: 'ida@example.com',
      password: 'pw',
      status: 'disabled',
      password_version: 7,
      constructor: 1,
    })
    expect(status).to.equal(201)
    expect(body.id).not.to.equal('chosen')
    expect((await signIn('ida@example.com', 'pw')).status).to.equal(200)
  })

  it('stores the password exactly as sent', async () => {
    const password = ' p\u0000e\u0301 '
    await register({ email: 'barbara@example.com', password })
    for (const other of ['p\u0000e\u0301', ' p', ' p\u0000\u00e9 '])
      expect((await signIn('barbara@example.com', other)).status).to.equal(422)
    expect((await signIn('barbara@example.com', password)).status).to.equal(200)
  })

  it('takes email_verified only if it is true, and only with the scope users:confirm_email', async () => {
    const trusted = await scopedToken(running, 'users:register users:confirm_email')
    const recoverer = await scopedToken(running, 'users:register users:recover')
    let users = 0
    for (const [as, email_verified, isVerified] of [
      [trusted, true, true],
      [trusted, 'true', false],
      [trusted, 1, false],
      [trusted, { true: true }, false],
      [trusted, null, false],
      [token, true, false],
      [recoverer, true, false],
    ] as const) {
      users += 1
      const user = { email: `user-${users}@example.com`, password: 'pw' }
      const { status, body } = await register({ ...user, email_verified }, as)
      expect([status, body.email_verified], String(users)).to.deep.equal([201, isVerified])
      expect((await signIn(user.email, user.password)).body.email_verified).to.equal(isVerified)
    }
  })

  for (const [what, body, errors] of [
    ['no fields', {}, [1, 2]],
    ['a malformed e-mail', { email: 'new', password: 'pw' }, [3]],
    ['a registered e-mail', { email: 'ADA@example.com', password: 'pw' }, [4]],
  ] as const) {
    it(`is 422 for ${what}`, async () => {
      const all = [
        { code: 1, message: 'email is missing or empty.', param: 'email' },
        { code: 2, message: 'password is missing or empty.', param: 'password' },
        { code: 3, message: 'email is not an e-mail address.', param: 'email' },
        { code: 4, message: 'email is already registered.', param: 'email' },
      ]
      const answer = await register(body)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors: errors.map((code) => all[code - 1]),
      })
    })
  }
})
