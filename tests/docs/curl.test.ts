import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { curlLine } from '../../adapters/driving/http/docs/curl.ts'
import type { OpenApi, Operation } from '../../adapters/driving/http/docs/document.ts'
import { placesOf } from '../../adapters/driving/http/docs/operations.ts'
import { A_DOCUMENT } from './a-document.ts'

/** What a shell gives a program called curl for these lines, word by word. */
const words = (lines: string): ReadonlyArray<string> =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${lines}`], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TOKEN: 'the token', PUBLIC_API_KEY: 'pk', PRIVATE_API_KEY: 'sk' },
  })
    .split('\0')
    .slice(0, -1)

const TOKEN = ['-H', 'Authorization: Bearer the token']
const JSON_TYPE = ['-H', 'Content-Type: application/json']

describe('a line for curl', () => {
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
    it(`asks for ${place} with ${expected.length} words`, () => {
      const found = placesOf(A_DOCUMENT, 'http://base.test/there').find(
        ({ method, path }) => `${method} ${path}` === place,
      )
      if (found === undefined) throw new Error('There is no such operation.')
      expect(words(curlLine(A_DOCUMENT, found.method, found.url, found.operation))).to.deep.equal(expected)
    })
  }

  it('says whatever is in an example, and a shell finds nothing to do in it', () => {
    const document: OpenApi = { info: { title: '', version: '' } }
    const operationWith = (type: string, example: unknown): Operation => ({
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
        const lines = [form, json].map((one) => curlLine(document, 'POST', 'http://a.test', one)).join('\n')
        expect(words(lines)).to.include.members([`value=${value}`, JSON.stringify({ value })])
      }),
      { numRuns: 30 }, // a shell each
    )
  })
})
