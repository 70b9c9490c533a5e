import { expect } from 'chai'
import { FORM_TYPE, INTROSPECT, introspection } from '../support/introspection.ts'
import { oauthRefusal } from '../support/oauth.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const LIMIT_BYTES = 16 * 1024

const refusal = (code: number, message: string) => oauthRefusal(code, 'invalid_request', message)
const MISSING = refusal(400, 'token is missing or empty.')
const MALFORMED = refusal(400, 'The body is not a valid form in UTF-8.')
const TOO_MANY = refusal(400, 'The body has more than 32 parameters.')

describe('a form', () => {
  let running: RunningService
  let gate: string
  before(async () => {
    running = await startService()
    gate = await scopedToken(running, 'tokens:introspect')
  })
  after(() => running.stop())

  const send = async (form: string | Uint8Array, headers = {}) => {
    const { status, body } = await introspection(running, gate, { form }, headers)
    return { status, body }
  }
  const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

  const times = (count: number, pair: string): string => `&${pair}`.repeat(count)

  /** Valid forms that introspect the caller’s own token, `%T`. */
  const READ: ReadonlyArray<readonly [what: string, form: string]> = [
    ['the token alone', 'token=%T'],
    ['a hint before it', 'token_type_hint=access_token&token=%T'],
    ['its name escaped', '%74oken=%T'],
    ['unknown parameters, also without a value or a name', 'x=1&y&=z&token=%T'],
    ['one called __proto__', '__proto__=x&token=%T&constructor=y'],
    ['a name in capitals beside it', 'TOKEN=x&token=%T'],
    ['a name that begins with a question mark beside it', '?token=x&token=%T'],
    ['text of any script, escaped and not', 'x=%F0%9F%9B%92&y=🛒&token=%T'],
    ['32 parameters', `token=%T${Array.from({ length: 31 }, (_, index) => `&x${index}=1`).join('')}`],
  ]
  for (const [what, form] of READ) {
    it(`is read with ${what}`, async () => {
      const { status, body } = await send(form.replace('%T', gate))
      expect(status).to.equal(200)
      expect(body).to.include({ active: true })
    })
  }

  /** Valid forms whose token differs from the caller’s. */
  const ANOTHER: ReadonlyArray<readonly [what: string, form: string]> = [
    ['a plus sign, which is a space,', 'token=%T+'],
    ['an escaped line feed', 'token=%T%0A'],
    ['an escaped NUL', 'token=%T%00'],
    ['an escaped space before it', 'token=%20%T'],
    ['an equals sign', 'token=%T='],
    ['an escaped ampersand', 'token=%T%26x=1'],
  ]
  for (const [what, form] of ANOTHER) {
    it(`with ${what} in the value of token holds a different token`, async () => {
      expect(await send(form.replace('%T', gate))).to.deep.equal({ status: 200, body: { active: false } })
    })
  }

  const REFUSED: ReadonlyArray<readonly [what: string, form: string | Uint8Array, said: object]> = [
    ['nothing in it', '', MISSING],
    ['an empty token', 'token=', MISSING],
    ['no token', 'token_type_hint=access_token', MISSING],
    ['the name in capitals', 'TOKEN=x', MISSING],
    ['the name behind a question mark', '?token=x', MISSING],
    ['the name behind a byte order mark', bytes([0xef, 0xbb, 0xbf], 'token=x'), MISSING],
    ['JSON in it', '{"token":"x"}', MISSING],
    ['two tokens', 'token=x&token=y', refusal(400, 'token appears more than once.')],
    ['the same token twice', 'token=x&token=x', refusal(400, 'token appears more than once.')],
    ['two tokens, one escaped', 'token=x&%74oken=y', refusal(400, 'token appears more than once.')],
    [
      'two hints',
      'token=x&token_type_hint=a&token_type_hint=b',
      refusal(400, 'token_type_hint appears more than once.'),
    ],
    [
      'another parameter twice, which is not repeated',
      'secret=1&token=x&secret=2',
      refusal(400, 'A parameter appears more than once.'),
    ],
    ['a percent sign alone', 'token=%', MALFORMED],
    ['half an escape', 'token=%4', MALFORMED],
    ['an escaped byte that is no UTF-8', 'token=%FF', MALFORMED],
    ['an escaped character over two parameters', 'token=%C3&x=%A9', MALFORMED],
    ['a byte that is no UTF-8', bytes('token=', [0xff]), MALFORMED],
    ['a character half escaped', bytes('token=', [0xc3], '%A9'), MALFORMED],
    ['UTF-16', bytes([0xff, 0xfe], 't\0o\0k\0e\0n\0'), MALFORMED],
    ['33 parameters', `token=x${times(32, 'a=b')}`, TOO_MANY],
    [
      'more than 16 KiB',
      `token=${'x'.repeat(LIMIT_BYTES)}`,
      refusal(413, 'The body is larger than 16384 bytes.'),
    ],
  ]
  for (const [what, form, said] of REFUSED) {
    it(`is refused with ${what}`, async () => {
      const { status, body } = await send(form)
      expect(body).to.deep.equal(said)
      expect(status).to.equal(body.code)
    })
  }

  it('may be exactly 16 KiB', async () => {
    const form = `token=${gate}&x=`
    expect((await send(form.padEnd(LIMIT_BYTES, 'x'))).body).to.include({ active: true })
  })

  for (const type of [
    FORM_TYPE,
    'Application/X-WWW-Form-Urlencoded',
    `${FORM_TYPE}; charset=utf-8`,
    `${FORM_TYPE};charset="UTF-8"`,
    `${FORM_TYPE}; charset=utf8`,
    `${FORM_TYPE}; charset=us-ascii`,
    `${FORM_TYPE}; charset=ISO-8859-1`,
  ]) {
    it(`may have the type ${type}`, async () => {
      expect((await send(`token=${gate}`, { 'content-type': type })).body).to.include({ active: true })
    })
  }

  for (const type of [
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    `${FORM_TYPE}; charset=latin1`,
    `${FORM_TYPE}; charset=utf-16`,
    `${FORM_TYPE}, text/plain`,
    'application/x-www-form',
    '',
  ]) {
    it(`with the type ${type || '""'} is 415, with the accepted type in Accept`, async () => {
      const answer = await introspection(running, gate, { form: `token=${gate}` }, { 'content-type': type })
      expect(answer.status).to.equal(415)
      expect(answer.headers.accept).to.equal(FORM_TYPE)
      expect(answer.body).to.deep.equal(refusal(415, `The body must be ${FORM_TYPE} in UTF-8.`))
    })
  }

  it('in ISO-8859-1 is 415 with a byte that is not ASCII, also behind an escape', async () => {
    const type = `${FORM_TYPE}; charset=ISO-8859-1`
    for (const [form, status] of [
      [`token=${gate}&x=%7E%2b`, 200],
      [`token=${gate}&x=%C3%A4`, 415],
      [`token=${gate}&x=%e4`, 415],
      [`token=${gate}&x=ä`, 415],
      [`token=${gate}&x=%zz`, 415],
    ] as const)
      expect((await introspection(running, gate, { form }, { 'content-type': type })).status, form).to.equal(
        status,
      )
  })

  it('with a content encoding is 415', async () => {
    const answer = await introspection(running, gate, { form: 'token=x' }, { 'content-encoding': 'gzip' })
    expect(answer.status).to.equal(415)
    expect(answer.body).to.deep.equal(refusal(415, 'The body must not have a Content-Encoding.'))
  })

  it('without a body counts as empty, regardless of its type', async () => {
    for (const type of [FORM_TYPE, 'application/json']) {
      const lines = [`Authorization: Bearer ${gate}`, `Content-Type: ${type}`]
      const answer = parseRaw(await sendRaw(running.port, requestText('POST', INTROSPECT, lines)))
      expect(answer.body).to.deep.equal(MISSING)
    }
  })
})
