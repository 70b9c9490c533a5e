import { expect } from 'chai'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { fail, succeed } from '../../support/outcome.ts'
import { eachSubject, newKey } from '../subjects.ts'

const INVALID = { _tag: 'InvalidToken' }

const otherType = (value: unknown): unknown => (typeof value === 'string' ? 5 : String(value))

eachSubject(({ name, format, purpose, claims, written, forge }) => {
  describe(`${name}: a payload signed with the right key`, () => {
    let key: SigningKey
    before(async () => {
      key = await newKey({ format, purpose })
    })

    const good = written(claims)
    const verify = (payload: string | Uint8Array) => format.verify(forge(key, payload), [key])

    it('is valid with the claims', async () => {
      expect(await succeed(verify(JSON.stringify(good)))).to.deep.equal(claims)
    })

    it('is valid with an empty jti, which is a name only', async () => {
      const payload = JSON.stringify({ ...good, jti: '' })
      expect(await succeed(verify(payload))).to.deep.equal({ ...claims, jti: '' })
    })

    for (const claim of Object.keys(good)) {
      it(`is refused without ${claim}`, async () => {
        const { [claim]: _, ...others } = good
        expect(await fail(verify(JSON.stringify(others)))).to.deep.equal(INVALID)
      })

      it(`is refused with ${claim} in another case`, async () => {
        const { [claim]: value, ...others } = good
        const payload = JSON.stringify({ ...others, [claim.toUpperCase()]: value })
        expect(await fail(verify(payload))).to.deep.equal(INVALID)
      })

      for (const wrong of [
        null,
        true,
        [],
        {},
        [good[claim]],
        { value: good[claim] },
        otherType(good[claim]),
      ]) {
        if (claim === 'amr' && Array.isArray(wrong) && wrong.length === 0) continue // a list of no methods
        it(`is refused with ${JSON.stringify(wrong)} for ${claim}`, async () => {
          expect(await fail(verify(JSON.stringify({ ...good, [claim]: wrong })))).to.deep.equal(INVALID)
        })
      }
    }

    // Of a user token they are optional, and an application token has none.
    const others = purpose === 'application' ? [['editor']] : []
    for (const wrong of [null, true, 'editor', {}, { 0: 'editor' }, ['editor', 5], [['editor']], ...others])
      it(`is refused with ${JSON.stringify(wrong)} for roles`, async () => {
        expect(await fail(verify(JSON.stringify({ ...good, roles: wrong })))).to.deep.equal(INVALID)
      })

    for (const claim of ['iat', 'exp', 'auth_time'].filter((time) => time in good)) {
      for (const wrong of [
        ...['', ' ', '0', '1e3', '1795176000', 'now', 'tomorrow', 'P1D', 'Infinity', 'NaN'],
        ...[1772366400.5, 1795176000.0000002, 2 ** 53, -(2 ** 53), 1e21, 1795176000_000.5],
        ...['2026-03-01T12:00:00.500Z', '2026-03-01', 'Sun, 01 Mar 2026 12:00:00 GMT'],
      ]) {
        it(`is refused with ${JSON.stringify(wrong)} for ${claim}, which is not a whole second`, async () => {
          expect(await fail(verify(JSON.stringify({ ...good, [claim]: wrong })))).to.deep.equal(INVALID)
        })
      }

      for (const raw of [
        '1e400',
        '-1e400',
        '0x10',
        '010',
        '+5',
        '5n',
        'Infinity',
        'NaN',
        '- 5',
        '5.',
        "'5'",
      ]) {
        it(`is refused with the characters ${raw} for ${claim}`, async () => {
          const payload = JSON.stringify({ ...good, [claim]: 'THERE' }).replace('"THERE"', raw)
          expect(await fail(verify(payload))).to.deep.equal(INVALID)
        })
      }
    }

    const NO_CLAIMS: ReadonlyArray<readonly [what: string, payload: string | Uint8Array]> = [
      ['nothing', ''],
      ['null', 'null'],
      ['a number', '1'],
      ['a text', '"claims"'],
      ['a list', `[${JSON.stringify(good)}]`],
      ['an empty object', '{}'],
      ['half an object', JSON.stringify(good).slice(0, -1)],
      ['an object with trailing text', `${JSON.stringify(good)}x`],
      ['claims in invalid UTF-8', Buffer.from(JSON.stringify({ ...good, jti: 'é' }), 'latin1')],
      ['claims that are only inherited', `{"__proto__":${JSON.stringify(good)}}`],
      ['nested claims', `{"claims":${JSON.stringify(good)}}`],
      ['a hundred thousand nested lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ]
    for (const [what, payload] of NO_CLAIMS) {
      it(`is refused when it is ${what}`, async () => {
        expect(await fail(verify(payload))).to.deep.equal(INVALID)
      })
    }
  })
})
