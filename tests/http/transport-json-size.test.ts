import { expect } from 'chai'
import { jsonTalk } from './transport-json-talk.ts'
import { expectRefusal, NOT_JSON, TOO_LARGE } from './transport-talk.ts'

const TOO_DEEP = 'The body is nested deeper than 32 levels.'
const LIMIT_BYTES = 16 * 1024

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

describe('the JSON of a body', () => {
  const { known, missingIn, send } = jsonTalk()

  it('may have exactly 16 KiB, counted in bytes', async () => {
    for (const [letter, bytes] of [
      ['x', 1],
      ['é', 2],
      ['€', 3],
      ['💩', 4],
    ] as const) {
      const head = `{${known()},"x":"`
      const count = Math.floor((LIMIT_BYTES - head.length - 2) / bytes)
      const body = utf8(`${head}${letter.repeat(count)}"}`)
      expect((await send(body.padEnd(LIMIT_BYTES))).status).to.equal(200)
      expectRefusal(await send(body.padEnd(LIMIT_BYTES + 1)), 413, TOO_LARGE)
      expectRefusal(await send(utf8(`${head}${letter.repeat(count + 2)}"}`)), 413, TOO_LARGE)
    }
    expectRefusal(await send('\xff'.repeat(LIMIT_BYTES)), 400, NOT_JSON)
    expectRefusal(await send('\xff'.repeat(LIMIT_BYTES + 1)), 413, TOO_LARGE)
  })

  describe('nests at most 32 levels', () => {
    const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const objects = (depth: number) => `${'{"x":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
    const mixed = (depth: number): string =>
      depth === 0 ? '1' : depth % 2 ? `[${mixed(depth - 1)}]` : `{"x":${mixed(depth - 1)}}`

    for (const [what, nested] of [
      ['arrays', arrays],
      ['objects', objects],
      ['alternating arrays and objects', mixed],
    ] as const) {
      it(`with ${what}: alone, in a known field, in an unknown field and in an overwritten field`, async () => {
        expect(await missingIn(nested(32))).to.deep.equal([1, 2])
        expectRefusal(await send(nested(33)), 400, TOO_DEEP)
        for (const name of ['x', '__proto__', 'public_api_key', '', '\\u0078']) {
          expect((await send(`{"${name}":${nested(31)},${known()}}`)).status).to.equal(200)
          expectRefusal(await send(`{"${name}":${nested(32)},${known()}}`), 400, TOO_DEEP)
          expectRefusal(await send(`{"${name}":${nested(32)},"${name}":1,${known()}}`), 400, TOO_DEEP)
        }
      })
    }

    it('without counting brackets in strings', async () => {
      for (const text of ['[', '{', '[{', '\\"[', '\\\\\\"{', '\\u005b[', '\\u0022[']) {
        expect((await send(`{"${text.repeat(40)}":"${text.repeat(40)}",${known()}}`)).status).to.equal(200)
      }
      expectRefusal(await send(`{"\\\\":${arrays(32)}}`), 400, TOO_DEEP)
    })

    it('even with the deepest nesting that a body can hold', async () => {
      for (const open of ['[', '{"":', '[{"":']) {
        expectRefusal(await send(open.repeat(LIMIT_BYTES / open.length)), 400, TOO_DEEP)
      }
      expectRefusal(await send(arrays(LIMIT_BYTES / 2)), 400, TOO_DEEP)
      expectRefusal(await send(']'.repeat(LIMIT_BYTES)), 400, NOT_JSON)
    })

    it('without limiting values side by side', async () => {
      expect(await missingIn(`[${Array(5_000).fill('[]').join()}]`)).to.deep.equal([1, 2])
    })
  })
})
