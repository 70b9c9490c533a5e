import assert from 'node:assert/strict'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import { ok } from '../outcome.ts'
import type { AnyClaims, Check, Kind } from '../token-format.ts'

/** A verified token returns the claims that were signed, of any content and at any time. */
export const claimsCases = <Claims extends AnyClaims>(
  check: Check<TokenFormat<Claims>>,
  { claims }: Kind<Claims>,
): void => {
  for (const [what, shape] of SHAPES) {
    check(`a token has the claims that were signed: ${what}`, async (tokens, key) => {
      const signed = shape(claims) as Claims
      const token = await ok(tokens.sign(signed, key))
      assert.deepEqual(await ok(tokens.verify(token, [key])), signed)
    })
  }

  check('a token has the same claims each time it is verified', async (tokens, key) => {
    const token = await ok(tokens.sign(claims, key))
    const keys = [key]
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(await ok(tokens.verify(token, keys)), claims)
      assert.deepEqual(await ok(tokens.verify(token, [key])), claims)
    }
  })

  check('concurrent tokens have their own claims', async (tokens, key) => {
    const all = Array.from({ length: 20 }, (_, index) => ({ ...claims, jti: `token ${index}` }))
    const signed = await Promise.all(all.map((each) => ok(tokens.sign(each, key))))
    const found = await Promise.all(signed.map((token) => ok(tokens.verify(token, [key]))))
    assert.deepEqual(found, all)
  })

  check('a token of any content fits into a header', async (tokens, key) => {
    for (const [, shape] of SHAPES) {
      const token = await ok(tokens.sign(shape(claims) as Claims, key))
      assert.match(token, /^[A-Za-z0-9._~+/-]+=*$/) // b64token of RFC 6750 §2.1
    }
  })
}

type Shape = (claims: AnyClaims) => AnyClaims

/** Every text of the claims begins like this, and differs from every other one. */
const beginning =
  (text: string): Shape =>
  (claims) =>
    Object.fromEntries(
      Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? text + name : value]),
    )

const empty: Shape = (claims) =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? '' : value]),
  )

/** The last second that RFC 3339 can write. */
const END_OF_9999 = 253_402_300_799

const SHAPES: ReadonlyArray<readonly [what: string, shape: Shape]> = [
  ['as they come', (claims) => claims],
  ['texts beyond ASCII', beginning('Zoë 店 🦊 e\u0301 \uffff ')],
  ['texts of quotes and control characters', beginning('"\\\'{}[],:\n\t\0\u001f\u2028/')],
  ['texts that look like something else', beginning('__proto__.null.AAAA=%41&lt;')],
  ['long texts', beginning('x'.repeat(1000))],
  ['no texts', empty],
  ['times that are long over', (claims) => ({ ...claims, iat: 0, exp: 1 })],
  ['times that are far away', (claims) => ({ ...claims, iat: END_OF_9999 - 1, exp: END_OF_9999 })],
]
