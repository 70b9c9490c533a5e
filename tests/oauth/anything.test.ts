import { expect } from 'chai'
import * as fc from 'fast-check'
import { anyCharacter } from '../support/code-points.ts'
import { type Pieces, pour } from '../support/exchange.ts'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { basicOf, REVOKE, TOKEN } from '../support/oauth.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import type { StrictAnswer } from '../support/strict-answers.ts'

const RUNS = 600

const CODES = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
  'insufficient_scope',
]

/** The characters that RFC 6749 §5.2 allows in `error_description`. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((all) => Buffer.from(all).toString('latin1'))

/** Bytes that Node’s parser accepts in a header. */
const headerBytes = fc
  .uint8Array({ maxLength: 60 })
  .map((all) => Buffer.from(all.filter((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f))))
  .map((all) => all.toString('latin1'))

/** Parts of Basic credentials. */
const credentials = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'pk_',
        'sk_',
        ':',
        '%',
        '%3A',
        '%zz',
        '%FF',
        '%00',
        '+',
        '%ED%A0%80',
        '%KEYS%',
        '=',
        ' ',
      ),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
      bytes(6),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** Parameters of forms, valid ones among them. */
const form = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'grant_type=client_credentials',
        'grant_type=password',
        'grant_type=',
        'scope=users:sign_in',
        'scope=users%3Aregister+users:sign_in',
        'scope=tokens:introspect',
        'scope=%00',
        'client_id=%ID%',
        'client_secret=%SECRET%',
        'client_id=pk_x',
        'client_secret=%FF',
        'token=x',
        'token_type_hint=refresh_token',
        '%67rant_type=client_credentials',
        '__proto__=x',
        '=',
        '?',
      ),
      bytes(12),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join('&'))

const likely = <T>(right: fc.Arbitrary<T>, any: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: right, weight: 3 }, { arbitrary: any, weight: 2 })

/** A form that satisfies each of these routes. */
const GOOD = 'grant_type=client_credentials&token=x'

const PATHS = [TOKEN, INTROSPECT, REVOKE]
type Keys = 'right' | 'none' | 'wrong'
const examplesOf = (path: string): Array<[string, Keys, string]> => [
  [path, 'right', GOOD],
  [path, 'wrong', GOOD],
  [path, 'right', `${GOOD}&token=y`],
]

describe('arbitrary requests to the OAuth routes', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const send = async (
    path: string,
    authorization: string | undefined,
    body: string,
  ): Promise<StrictAnswer> => {
    const { public_api_key: id, private_api_key: secret } = running.keys
    const known = body.replaceAll('%ID%', id).replaceAll('%SECRET%', secret)
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: service.test',
      'Connection: close',
      `Content-Type: ${FORM_TYPE}`,
      `Content-Length: ${known.length}`,
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ]
    const pieces: Pieces = [Buffer.from(`${lines.join('\r\n')}\r\n\r\n${known}`, 'latin1')]
    const [answer, ...more] = await pour(running.port, pieces, () => false)
    if (answer === undefined || more.length > 0) throw new Error('not one answer')
    return answer
  }

  /** Checks the rules for every response. @returns the status */
  const validate = ({ status, headers, body, text }: StrictAnswer): number => {
    expect(status, text).to.be.oneOf([200, 400, 401, 403])
    expect(headers, text).to.include({ 'cache-control': 'no-store' })
    if (status === 200) return status
    const said = JSON.parse(body)
    expect(said, text).to.have.all.keys('success', 'code', 'message', 'error', 'error_description')
    expect(said, text).to.include({ success: false, code: status, error_description: said.message })
    expect(said.error).to.be.oneOf(CODES)
    expect(said.error === 'invalid_client').to.equal(status === 401)
    expect(said.error_description).to.match(DESCRIPTION)
    if (status === 401) expect(headers['www-authenticate']).to.match(/\bBasic realm="portcullis"$/)
    return status
  }

  const right = () => basicOf(running.keys.public_api_key, running.keys.private_api_key)

  const anyHeader = fc.oneof(
    headerBytes.map((text) => `Basic ${text}`),
    headerBytes.map((text) => `Basic${text}`),
    fc.base64String({ maxLength: 80 }).map((text) => `Basic ${text}`),
    fc.uint8Array({ maxLength: 60 }).map((all) => `basic ${Buffer.from(all).toString('base64')}`),
    credentials.map((text) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`),
    credentials.map((text) => `BASIC ${Buffer.from(text).toString('base64')}`),
  )

  const anyPath = fc.constantFrom(...PATHS)

  it('with random Basic credentials get no token and both kinds of errors', async () => {
    await fc.assert(
      fc.asyncProperty(anyPath, anyHeader, async (path, header) => {
        const answer = await send(path, header, GOOD)
        expect(validate(answer), answer.text).to.equal(401)
      }),
      { numRuns: RUNS },
    )
  })

  it('with random forms are answered, with both kinds of errors', async () => {
    const statuses = new Set<string>()
    const anyKeys = likely<Keys>(fc.constant('right'), fc.constantFrom('none', 'wrong'))
    await fc.assert(
      fc.asyncProperty(anyPath, anyKeys, form, async (path, keys, sent) => {
        const header = { right: right(), none: undefined, wrong: basicOf('x', 'y') }[keys]
        statuses.add(`${path} ${validate(await send(path, header, sent))}`)
      }),
      // Random forms alone do not reach each status in every run.
      { numRuns: RUNS, examples: PATHS.flatMap(examplesOf) },
    )
    for (const path of PATHS)
      for (const status of [path === INTROSPECT ? 403 : 200, 400, 401])
        expect([...statuses]).to.include(`${path} ${status}`)
  })
})
