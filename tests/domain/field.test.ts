import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { isPresent, required } from '../../domain/field.ts'
import { withoutIo } from './no-io.ts'

describe('a field of a request', () => {
  withoutIo()

  const ABSENT: ReadonlyArray<readonly [name: string, field: string | undefined]> = [
    ['is absent', undefined],
    ['is empty', ''],
    ['holds half a surrogate pair', 'a\ud800'],
    ['holds the other half', '\udc00a'],
    ['holds a reversed surrogate pair', '\udc00\ud800'],
  ]
  for (const [name, field] of ABSENT) {
    it(`counts as missing when it ${name}`, () => {
      expect(isPresent(field)).to.equal(false)
      expect(required('Missing')(field)).to.deep.equal(left(['Missing']))
    })
  }

  const PRESENT: ReadonlyArray<readonly [name: string, field: string]> = [
    ['a letter', 'a'],
    ['one space', ' '],
    ['one NUL', '\0'],
    ['a whole surrogate pair', '\ud83d\ude00'],
    ['the replacement character', '\ufffd'],
    ['a noncharacter', '\uffff'],
  ]
  for (const [name, field] of PRESENT) {
    it(`is present when it is ${name}, and stays unchanged`, () => {
      expect(isPresent(field)).to.equal(true)
      expect(required('Missing')(field)).to.deep.equal(right(field))
    })
  }
})
