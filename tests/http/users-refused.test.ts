import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const PATH = '/api/v1/users'

const CODE_1 = { code: 1, param: 'email', message: 'email is missing or empty.' }
const CODE_2 = { code: 2, param: 'password', message: 'password is missing or empty.' }
const CODE_3 = { code: 3, param: 'email', message: 'email is not an e-mail address.' }
const CODE_4 = { code: 4, param: 'email', message: 'email is already registered.' }

const LABEL_63 = 'a'.repeat(63)
const DOMAIN_191 = [LABEL_63, LABEL_63, LABEL_63].join('.')

onMemory('POST /api/v1/users with missing or wrong fields', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(await stores.fresh())
    token = await running.applicationToken()
    await succeed(
      running.service.registerUser(CONTEXT, { email: 'Kim@example.com', password: 'secret' }, OPERATOR),
    )
  })
  after(() => running.stop())

  const events = () => eventsOf(running.service.store, 'UserRegistered')
  const send = (body: string) =>
    running.send({ method: 'POST', path: PATH, token, body, headers: { 'content-type': 'application/json' } })

  const withEmail = (email: string): string => JSON.stringify({ email, password: 'pw' })

  const RULES: ReadonlyArray<[string, string, ReadonlyArray<object>]> = [
    ['nothing', '{}', [CODE_1, CODE_2]],
    ['no e-mail', '{"password":"pw"}', [CODE_1]],
    ['no password', '{"email":"new@example.com"}', [CODE_2]],
    ['an empty e-mail', '{"email":"","password":"pw"}', [CODE_1]],
    ['an empty password', '{"email":"new@example.com","password":""}', [CODE_2]],
    ['both null', '{"email":null,"password":null}', [CODE_1, CODE_2]],
    ['both numbers', '{"email":1,"password":2}', [CODE_1, CODE_2]],
    ['both booleans', '{"email":true,"password":false}', [CODE_1, CODE_2]],
    ['both arrays', '{"email":["new@example.com"],"password":["pw"]}', [CODE_1, CODE_2]],
    ['both objects', '{"email":{},"password":{}}', [CODE_1, CODE_2]],
    ['both lone surrogates', '{"email":"\\ud800","password":"\\udc00"}', [CODE_1, CODE_2]],
    ['a malformed e-mail', withEmail('new'), [CODE_3]],
    ['a malformed e-mail and no password', '{"email":"new"}', [CODE_2, CODE_3]],
    ['a malformed e-mail and an empty password', '{"email":"new@","password":""}', [CODE_2, CODE_3]],
    ['an e-mail of spaces', withEmail(' '), [CODE_3]],
    ['a space before the e-mail', withEmail(' new@example.com'), [CODE_3]],
    ['a line feed after the e-mail', withEmail('new@example.com\n'), [CODE_3]],
    ['U+0000 after the e-mail', withEmail('new@example.com\u0000'), [CODE_3]],
    ['an e-mail in angle brackets', withEmail('<new@example.com>'), [CODE_3]],
    ['two e-mails', withEmail('new@example.com,old@example.com'), [CODE_3]],
    ['an e-mail with a letter beyond ASCII', withEmail('n\u00e9w@example.com'), [CODE_3]],
    ['a taken e-mail with the Kelvin sign for its K', withEmail('\u212aim@example.com'), [CODE_3]],
    ['an e-mail of 255 characters', withEmail(`${'n'.repeat(63)}@${DOMAIN_191}`), [CODE_3]],
    ['a taken e-mail', withEmail('Kim@example.com'), [CODE_4]],
    ['a taken e-mail in capitals', withEmail('KIM@EXAMPLE.COM'), [CODE_4]],
    ['a taken e-mail and no password', '{"email":"kim@example.com"}', [CODE_2, CODE_4]],
    ['values with a meaning in JavaScript', '{"email":"__proto__","password":"__proto__"}', [CODE_3]],
    [
      'fields in the value of a field called __proto__',
      `{"__proto__":${withEmail('n@b.c')}}`,
      [CODE_1, CODE_2],
    ],
  ]

  for (const [what, body, errors] of RULES) {
    it(`returns 422 for ${what} and registers no user`, async () => {
      const before = await events()
      const answer = await send(body)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors,
      })
      expect(await events()).to.deep.equal(before)
    })
  }

  it('accepts an e-mail of 254 characters', async () => {
    const email = `${'n'.repeat(62)}@${DOMAIN_191}`
    expect(email).to.have.length(254)
    expect((await send(withEmail(email))).status).to.equal(201)
  })

  it('does not change the owner of a taken e-mail', async () => {
    await send('{"email":"Kim@Example.com","password":"another"}')
    const signIn = (password: string) =>
      running.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token,
        body: { email: 'kim@example.com', password },
      })
    expect((await signIn('another')).status).to.equal(422)
    expect((await signIn('secret')).status).to.equal(200)
  })

  for (const [what, tokenOf] of [
    ['a user token', () => running.userToken()],
    ['an application token without the scope', () => scopedToken(running, 'users:sign_in')],
  ] as const) {
    it(`returns 403 for ${what} and names the scope`, async () => {
      const answer = await running.send({
        method: 'POST',
        path: PATH,
        token: await tokenOf(),
        body: { email: 'new@example.com', password: 'pw' },
      })
      expect(answer.status).to.equal(403)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 403,
        message: 'This operation requires an application token with the scope users:register.',
      })
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope", scope="users:register"',
      )
      expect((await succeed(running.service.store.findUserByEmail('new@example.com')))._tag).to.equal('None')
    })
  }

  for (const [what, headers, challenge, message] of [
    [
      'no token',
      {},
      'Bearer realm="portcullis"',
      'This operation requires a token. Send the header Authorization: Bearer <token>.',
    ],
    [
      'an invalid token',
      { authorization: 'Bearer forged' },
      'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
      'The token is invalid, expired or revoked. Get a new one.',
    ],
  ] as const) {
    it(`returns 401 for ${what}`, async () => {
      const answer = await running.send({
        method: 'POST',
        path: PATH,
        body: { email: 'new@example.com', password: 'pw' },
        headers,
      })
      expect(answer.status).to.equal(401)
      expect(answer.body).to.deep.equal({ success: false, code: 401, message })
      expect(answer.headers['www-authenticate']).to.equal(challenge)
      expect((await succeed(running.service.store.findUserByEmail('new@example.com')))._tag).to.equal('None')
    })
  }
})
