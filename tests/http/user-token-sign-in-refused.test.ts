import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/user/token'

const CODE_1 = { code: 1, param: 'email', message: 'email is missing or empty.' }
const CODE_2 = { code: 2, param: 'password', message: 'password is missing or empty.' }
const CODE_3 = { code: 3, param: 'password', message: 'password does not match the e-mail.' }

onMemory('POST /api/v1/auth/user/token with missing or wrong fields', (stores) => {
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

  const send = (body: string) =>
    running.send({ method: 'POST', path: PATH, token, body, headers: { 'content-type': 'application/json' } })

  const RULES: ReadonlyArray<[string, string, ReadonlyArray<object>]> = [
    ['nothing', '{}', [CODE_1, CODE_2]],
    ['no e-mail', '{"password":"correct horse"}', [CODE_1]],
    ['no password', '{"email":"ada@example.com"}', [CODE_2]],
    ['no password of an unknown e-mail', '{"email":"nobody@example.com"}', [CODE_2]],
    ['an empty e-mail', '{"email":"","password":"correct horse"}', [CODE_1]],
    ['an empty password', '{"email":"ada@example.com","password":""}', [CODE_2]],
    ['both null', '{"email":null,"password":null}', [CODE_1, CODE_2]],
    ['both numbers', '{"email":1,"password":2}', [CODE_1, CODE_2]],
    ['both arrays', '{"email":["ada@example.com"],"password":["correct horse"]}', [CODE_1, CODE_2]],
    ['both objects', '{"email":{},"password":{}}', [CODE_1, CODE_2]],
    ['both lone surrogates', '{"email":"\\ud800","password":"\\udc00"}', [CODE_1, CODE_2]],
    ['a wrong password', '{"email":"ada@example.com","password":"wrong"}', [CODE_3]],
    ['an unknown e-mail', '{"email":"nobody@example.com","password":"correct horse"}', [CODE_3]],
    ['a malformed e-mail', '{"email":"@","password":"correct horse"}', [CODE_3]],
    ['a space before the e-mail', '{"email":" ada@example.com","password":"correct horse"}', [CODE_3]],
    ['a space after the password', '{"email":"ada@example.com","password":"correct horse "}', [CODE_3]],
    ['U+0000 after the password', '{"email":"ada@example.com","password":"correct horse\\u0000"}', [CODE_3]],
    ['capitals in the password', '{"email":"ada@example.com","password":"Correct Horse"}', [CODE_3]],
    [
      'the Kelvin sign for a K in the e-mail',
      '{"email":"\\u212aim@example.com","password":"secret"}',
      [CODE_3],
    ],
    ['values with a meaning in JavaScript', '{"email":"__proto__","password":"__proto__"}', [CODE_3]],
  ]

  for (const [what, body, errors] of RULES) {
    it(`returns 422 for ${what}`, async () => {
      const answer = await send(body)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors,
      })
    })
  }

  it('returns the same bytes for an unknown e-mail and a wrong password', async () => {
    const answerTo = async (credentials: object) =>
      withoutDateAndId(
        await sendRaw(
          running.port,
          requestText(
            'POST',
            PATH,
            ['Content-Type: application/json', `Authorization: Bearer ${token}`],
            JSON.stringify(credentials),
          ),
        ),
      )
    const refusal = [
      'HTTP/1.1 422 Unprocessable Entity',
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Content-Type: application/json; charset=utf-8',
      'Content-Length: 175',
      'Connection: close',
      '',
      '{"success":false,"code":422,"message":"Some fields are missing or wrong; see errors.",' +
        '"errors":[{"code":3,"message":"password does not match the e-mail.","param":"password"}]}',
    ].join('\r\n')
    expect(await answerTo({ email: 'nobody@example.com', password: 'wrong' })).to.equal(refusal)
    expect(await answerTo({ email: 'ada@example.com', password: 'wrong' })).to.equal(refusal)
  })

  it('opens no session', async () => {
    const signIns = () =>
      succeed(running.service.store.readEvents({ after: 0, limit: 100, type: 'UserSignedIn' }))
    const before = await signIns()
    await send('{"email":"ada@example.com","password":"wrong"}')
    await send('{"email":"ada@example.com"}')
    expect(await signIns()).to.deep.equal(before)
  })
})
