import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/application/token'

const CODE_1 = { code: 1, param: 'public_api_key', message: 'public_api_key is missing or empty.' }
const CODE_2 = { code: 2, param: 'private_api_key', message: 'private_api_key is missing or empty.' }

onMemory('POST /api/v1/auth/application/token with fields missing or empty', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const send = (body: string) =>
    running.send({ method: 'POST', path: PATH, body, headers: { 'content-type': 'application/json' } })

  const MISSING: ReadonlyArray<[string, string]> = [
    ['null', 'null'],
    ['a number', '7'],
    ['a boolean', 'true'],
    ['an array', '["pk_1"]'],
    ['an object', '{"a":"pk_1"}'],
    ['empty', '""'],
    ['a lone surrogate', '"\\ud800"'],
  ]

  for (const [what, json] of MISSING) {
    it(`returns code 1 for a public key that is ${what}`, async () => {
      const answer = await send(`{"public_api_key":${json},"private_api_key":"sk_1"}`)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors: [CODE_1],
      })
    })

    it(`returns code 2 for a private key that is ${what}`, async () => {
      const answer = await send(`{"public_api_key":"pk_1","private_api_key":${json}}`)
      expect(answer.status).to.equal(422)
      expect(answer.body.errors).to.deep.equal([CODE_2])
    })

    it(`returns codes 1 and 2 for two keys that are ${what}`, async () => {
      const answer = await send(`{"private_api_key":${json},"public_api_key":${json}}`)
      expect(answer.status).to.equal(422)
      expect(answer.body.errors).to.deep.equal([CODE_1, CODE_2])
    })
  }

  it('returns codes 1 and 2, with the whole envelope, for absent keys', async () => {
    const answer = await send('{}')
    expect(answer.status).to.equal(422)
    expect(answer.body).to.deep.equal({
      success: false,
      code: 422,
      message: 'Some fields are missing or wrong; see errors.',
      errors: [CODE_1, CODE_2],
    })
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('returns only the code of the absent field', async () => {
    expect((await send('{"public_api_key":"pk_1"}')).body.errors).to.deep.equal([CODE_2])
    expect((await send('{"private_api_key":"sk_1"}')).body.errors).to.deep.equal([CODE_1])
  })

  it('does not treat a space or U+0000 as missing', async () => {
    const answer = await send('{"public_api_key":" ","private_api_key":"\\u0000"}')
    expect(answer.status).to.equal(401)
  })

  it('ignores unknown fields with any name', async () => {
    const known = JSON.stringify(running.keys).slice(1, -1)
    const odd = '"__proto__":{"public_api_key":"x"},"constructor":1,"toString":null,"hasOwnProperty":[],"":2'
    expect((await send(`{${odd},${known}}`)).status).to.equal(200)
    expect((await send(`{${known},${odd}}`)).status).to.equal(200)
  })

  it('does not read fields from the value of a field called __proto__', async () => {
    const answer = await send(`{"__proto__":${JSON.stringify(running.keys)}}`)
    expect(answer.status).to.equal(422)
    expect(answer.body.errors).to.deep.equal([CODE_1, CODE_2])
  })
})

onMemory('POST /api/v1/auth/application/token with invalid API keys', (stores) => {
  let running: RunningService
  let otherKeys: RunningService['keys']
  before(async () => {
    running = await startService(await stores.fresh())
    const other = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    otherKeys = { public_api_key: other.publicApiKey, private_api_key: other.privateApiKey }
  })
  after(() => running.stop())

  const withLast = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

  const REFUSED: ReadonlyArray<[string, (keys: RunningService['keys']) => Partial<RunningService['keys']>]> =
    [
      ['an unknown public key', () => ({ public_api_key: `pk_${randomUUID()}` })],
      ['the private key of another application', () => ({ private_api_key: otherKeys.private_api_key })],
      ['the public key of another application', () => ({ public_api_key: otherKeys.public_api_key })],
      ['a malformed public key', () => ({ public_api_key: 'pk_1' })],
      ['a public key in capitals', (keys) => ({ public_api_key: keys.public_api_key.toUpperCase() })],
      ['a public key followed by a line feed', (keys) => ({ public_api_key: `${keys.public_api_key}\n` })],
      ['a public key without its prefix', (keys) => ({ public_api_key: keys.public_api_key.slice(3) })],
      ['a malformed private key', () => ({ private_api_key: 'sk_1' })],
      [
        'a private key with a wrong checksum',
        (keys) => ({ private_api_key: withLast(keys.private_api_key) }),
      ],
      ['a private key followed by a space', (keys) => ({ private_api_key: `${keys.private_api_key} ` })],
      ['a private key in small letters', (keys) => ({ private_api_key: keys.private_api_key.toLowerCase() })],
      [
        'the two keys swapped',
        (keys) => ({ public_api_key: keys.private_api_key, private_api_key: keys.public_api_key }),
      ],
      ['a field name for a key', () => ({ public_api_key: '__proto__', private_api_key: 'constructor' })],
    ]

  const answerTo = async (keys: object) => {
    const headers = ['Content-Type: application/json']
    return withoutDateAndId(
      await sendRaw(running.port, requestText('POST', PATH, headers, JSON.stringify(keys))),
    )
  }

  for (const [what, changed] of REFUSED) {
    it(`returns the same 401 with the Bearer challenge for ${what}`, async () => {
      expect(await answerTo({ ...running.keys, ...changed(running.keys) })).to.equal(
        [
          'HTTP/1.1 401 Unauthorized',
          'Cache-Control: no-store',
          'X-Content-Type-Options: nosniff',
          'WWW-Authenticate: Bearer realm="portcullis"',
          'Content-Type: application/json; charset=utf-8',
          'Content-Length: 58',
          'Connection: close',
          '',
          '{"success":false,"code":401,"message":"Invalid API keys."}',
        ].join('\r\n'),
      )
    })
  }

  it('issues no token', async () => {
    const issued = () =>
      succeed(running.service.store.readEvents({ after: 0, limit: 100, type: 'ApplicationTokenIssued' }))
    const before = await issued()
    await answerTo({ ...running.keys, private_api_key: otherKeys.private_api_key })
    expect(await issued()).to.deep.equal(before)
  })
})
