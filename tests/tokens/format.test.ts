import { expect } from 'chai'
import * as fc from 'fast-check'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { eachSubject, newKey } from './subjects.ts'

const INVALID = { _tag: 'InvalidToken' }

eachSubject(({ name, format, purpose, claims, anyClaims, written, forge }) => {
  describe(`${name}: a token format`, () => {
    let key: SigningKey
    let other: SigningKey
    before(async () => {
      key = await newKey({ format, purpose })
      other = await newKey({ format, purpose }, 'other')
    })

    it('verifies a signed token and returns its claims', async () => {
      const token = await succeed(format.sign(claims, key))
      expect(await succeed(format.verify(token, [key]))).to.deep.equal(claims)
    })

    it('verifies it a second time', async () => {
      const token = await succeed(format.sign(claims, key))
      const keys = [key]
      await succeed(format.verify(token, keys))
      expect(await succeed(format.verify(token, keys))).to.deep.equal(claims)
    })

    it('verifies a token with any claims', async () => {
      await fc.assert(
        fc.asyncProperty(anyClaims, async (drawn) => {
          const token = await succeed(format.sign(drawn, key))
          expect(await succeed(format.verify(token, [key]))).to.deep.equal(drawn)
        }),
        { numRuns: 50 },
      )
    })

    it('verifies with one of several keys at any place in the list', async () => {
      const token = await succeed(format.sign(claims, key))
      for (const keys of [
        [key, other],
        [other, key],
      ]) {
        expect(await succeed(format.verify(token, keys))).to.deep.equal(claims)
      }
    })

    it('does not check the time', async () => {
      const [then, never] = [
        { ...claims, iat: 0, exp: 1 },
        { ...claims, iat: 253_402_300_798, exp: 253_402_300_799 },
      ]
      expect(await succeed(format.verify(await succeed(format.sign(then, key)), [key]))).to.deep.equal(then)
      expect(await succeed(format.verify(await succeed(format.sign(never, key)), [key]))).to.deep.equal(never)
    })

    it('refuses a token that another key signed', async () => {
      const token = await succeed(format.sign(claims, other))
      expect(await fail(format.verify(token, [key]))).to.deep.equal(INVALID)
    })

    it('refuses a token of another key under a known key id', async () => {
      const token = forge({ ...other, kid: key.kid }, JSON.stringify(written(claims)))
      expect(await fail(format.verify(token, [key]))).to.deep.equal(INVALID)
    })

    it('refuses a token of a known key under another key id', async () => {
      const token = forge({ ...key, kid: 'another' }, JSON.stringify(written(claims)))
      expect(await fail(format.verify(token, [key]))).to.deep.equal(INVALID)
    })

    it('refuses every token without keys', async () => {
      const token = await succeed(format.sign(claims, key))
      await succeed(format.verify(token, [key]))
      expect(await fail(format.verify(token, []))).to.deep.equal(INVALID)
    })

    it('makes a different key each time', async () => {
      expect(key.kid).to.not.equal(other.kid)
      expect(key.material).to.not.equal(other.material)
    })
  })
})
