import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { OpenAPIV3_1 } from 'openapi-types'
import { curlCommand } from '../../adapters/http/docs/curl.ts'
import { operationsOf } from '../../adapters/http/docs/operations.ts'
import { A_DOCUMENT } from './a-document.ts'

/** The arguments that a shell passes to curl for these lines. */
const words = (lines: string): ReadonlyArray<string> =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${lines}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TOKEN: 'the token', PUBLIC_API_KEY: 'pk', PRIVATE_API_KEY: 'sk' },
  })
    .split('\0')
    .slice(0, -1)

const TOKEN = ['-H', 'Authorization: Bearer the token']
const JSON_TYPE = ['-H', 'Content-Type: application/json']

describe('a curl command', () => {
  for (const [place, expected] of [
    ['GET /lamps', ['-s', '-X', 'GET', 'http://base.test/coast/lamps']],
    [
      'POST /lamps',
      [
        ...['-s', '-X', 'POST', 'http://base.test/coast/lamps', ...TOKEN, ...JSON_TYPE],
        ...['-d', '{"color":"red","name":"O\'Hara\'s <lamp>"}'],
      ],
    ],
    ['HEAD /fog', ['-s', '--head', 'https://weather.test/now/fog']],
    [
      'POST /fog',
      [
        ...['-s', '-X', 'POST', 'https://weather.test/now/fog', '-u', 'pk:sk'],
        ...['--data-urlencode', 'where=the bay', '--data-urlencode', 'how=thick & wet'],
      ],
    ],
  ] as const) {
    it(`for ${place} has ${expected.length} arguments`, () => {
      const found = operationsOf(A_DOCUMENT, 'http://base.test/there').find(
        ({ method, path }) => `${method} ${path}` === place,
      )
      if (found === undefined) throw new Error('There is no such operation.')
      expect(words(curlCommand(A_DOCUMENT, found))).to.deep.equal(expected)
    })
  }

  it('has the example of a parameter in its path', () => {
    const parameters = [
      { name: 'lamp', in: 'path', required: true, example: "$&'/x001" },
      { name: 'fog', in: 'query', example: 'thick' },
    ]
    const command = curlCommand(A_DOCUMENT, {
      method: 'GET',
      url: 'http://base.test/lamps/{lamp}?{fog}',
      operation: { parameters, responses: {} },
    })
    expect(words(command)).to.deep.equal(['-s', '-X', 'GET', "http://base.test/lamps/$&'/x001?{fog}"])
  })

  it('passes any example literally, without shell expansion', () => {
    const document: OpenAPIV3_1.Document = { openapi: '3.1.1', info: { title: '', version: '' }, paths: {} }
    const operationWith = (type: string, example: unknown): OpenAPIV3_1.OperationObject => ({
      requestBody: { content: { [type]: { example } } },
    })
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("'", '"', '\\', '$', '`', '\n', '!'),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    })
    fc.assert(
      fc.property(text, (value) => {
        const form = operationWith('application/x-www-form-urlencoded', { value })
        const json = operationWith('application/json', { value })
        const lines = [form, json]
          .map((operation) => curlCommand(document, { method: 'POST', url: 'http://a.test', operation }))
          .join('\n')
        expect(words(lines)).to.include.members([`value=${value}`, JSON.stringify({ value })])
      }),
      { numRuns: 30 }, // each starts a shell
    )
  })
})
