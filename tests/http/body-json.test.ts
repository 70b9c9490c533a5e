import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/application/token'

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

describe('a JSON body', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const send = (body: string | Uint8Array) =>
    running.send({ method: 'POST', path: PATH, body, headers: { 'content-type': 'application/json' } })
  const codesOf = (body: { errors?: ReadonlyArray<{ code: number }> }) =>
    (body.errors ?? []).map(({ code }) => code)

  const MALFORMED: ReadonlyArray<[string, string | Uint8Array]> = [
    ['cut short', '{"public_api_key":"x"'],
    ['with something after it', '{} x'],
    ['with U+0000 after it', '{}\0'],
    ['of white space only', ' '],
    ['in a no-break space', '\u00a0{}'],
    ['with a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}')],
    ['with a byte that is no UTF-8', bytes('{"x":"', [0xff], '"}')],
    ['with an overlong encoding', bytes('{"x":"', [0xc0, 0x80], '"}')],
  ]

  for (const [what, body] of MALFORMED) {
    it(`is refused with 400 ${what}`, async () => {
      const answer = await send(body)
      expect(answer.status).to.equal(400)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 400,
        message: 'The body is not valid JSON in UTF-8.',
      })
    })
  }

  for (const body of ['[]', '[{}]', '""', '"public_api_key"', '0', '-1.5e3', 'true', 'false', 'null']) {
    it(`that is ${body} counts as {}`, async () => {
      const answer = await send(body)
      expect(answer.status).to.equal(422)
      expect(codesOf(answer.body)).to.deep.equal([1, 2])
    })
  }

  it('may have white space around it', async () => {
    expect((await send(` \t\r\n${JSON.stringify(running.keys)}\n`)).status).to.equal(200)
  })

  it('may hold numbers of any size, which do not count as text', async () => {
    const known = JSON.stringify(running.keys).slice(1)
    for (const number of ['1e999999', '-1e999999', '9'.repeat(10_000), '0.1e-400', '-0']) {
      expect((await send(`{"x":${number},${known}`)).status).to.equal(200)
      expect(codesOf((await send(`{"public_api_key":${number}}`)).body)).to.deep.equal([1, 2])
    }
  })

  it('may hold a thousand unknown fields', async () => {
    const others = Array.from({ length: 1000 }, (_, index) => [`x${index}`, index])
    expect((await send(JSON.stringify({ ...Object.fromEntries(others), ...running.keys }))).status).to.equal(
      200,
    )
  })

  describe('with a repeated name', () => {
    const known = () => JSON.stringify(running.keys).slice(1, -1)

    it('uses the last value', async () => {
      expect((await send(`{"public_api_key":"x",${known()}}`)).status).to.equal(200)
      expect((await send(`{${known()},"public_api_key":"x"}`)).status).to.equal(401)
    })

    it('counts the field as missing when the last value is null', async () => {
      const answer = await send(`{${known()},"public_api_key":null}`)
      expect(answer.status).to.equal(422)
      expect(codesOf(answer.body)).to.deep.equal([1])
    })

    it('uses the last value, even when one of the names is escaped', async () => {
      expect((await send(`{"public_api_ke\\u0079":"x",${known()}}`)).status).to.equal(200)
      expect((await send(`{${known()},"public_api_ke\\u0079":"x"}`)).status).to.equal(401)
    })
  })

  describe('with nested arrays and objects', () => {
    const nested = (open: string, levels: number, close: string) => open.repeat(levels) + close.repeat(levels)

    const RULES: ReadonlyArray<[string, string, number]> = [
      ['32 arrays', nested('[', 32, ']'), 422],
      ['33 arrays', nested('[', 33, ']'), 400],
      ['32 objects', `${'{"x":'.repeat(31)}{}${'}'.repeat(31)}`, 422],
      ['33 objects', `${'{"x":'.repeat(32)}{}${'}'.repeat(32)}`, 400],
      ['31 arrays in an object', `{"x":${nested('[', 31, ']')}}`, 422],
      ['32 arrays in an object', `{"x":${nested('[', 32, ']')}}`, 400],
      ['32 arrays under a name whose last value is flat', `{"x":${nested('[', 32, ']')},"x":1}`, 400],
      ['32 arrays under a name of a known field', `{"public_api_key":${nested('[', 32, ']')}}`, 400],
      ['a thousand arrays side by side', `[${Array(1000).fill('[]').join()}]`, 422],
      ['8000 arrays', nested('[', 8000, ']'), 400],
      ['brackets in a string', `{"x":"${'[{'.repeat(100)}"}`, 422],
      ['brackets in a name', `{"${'[{'.repeat(100)}":1}`, 422],
      ['brackets after an escaped quote', `{"x":"\\"${'[{'.repeat(100)}"}`, 422],
      ['33 arrays after an escaped backslash', `{"x":"\\\\","y":${nested('[', 33, ']')}}`, 400],
    ]

    for (const [what, body, status] of RULES) {
      it(`is ${status} for ${what}`, async () => {
        const answer = await send(body)
        expect(answer.status).to.equal(status)
        if (status === 400) {
          expect(answer.body).to.deep.equal({
            success: false,
            code: 400,
            message: 'The body is nested deeper than 32 levels.',
          })
        }
      })
    }
  })
})
