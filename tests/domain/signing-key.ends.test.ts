import { expect } from 'chai'
import * as fc from 'fast-check'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { type SigningKey, selectSigningKey } from '../../domain/signing-key.ts'
import { SEED, withoutIo } from './no-io.ts'

describe('of several keys with different retirements', () => {
  withoutIo()

  const keyOf = (signsFromSeconds: number, end: number | null, index: number): SigningKey => ({
    id: `user-${index + 1}`,
    kid: `kid ${index + 1}`,
    purpose: 'user',
    material: 'secret',
    createdAtSeconds: 0,
    signsFromSeconds,
    retiresAtSeconds: end === null ? none : some(end),
    retired: false,
    version: 1,
  })
  const endOf = ({ retiresAtSeconds }: SigningKey): number =>
    isSome(retiresAtSeconds) ? retiresAtSeconds.value : Number.POSITIVE_INFINITY

  // A token is valid only as long as its key. After a change of the clock, creation times are not reliable.
  it('the one that retires last signs, among those that may sign', () => {
    const any = fc.tuple(fc.nat({ max: 20 }), fc.option(fc.nat({ max: 20 })))
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), fc.nat({ max: 20 }), (described, now) => {
        const keys = described.map(([from, end], index) => keyOf(from, end, index))
        const begun = keys.filter(({ signsFromSeconds }) => signsFromSeconds <= now)
        const signing = selectSigningKey(keys, now)
        if (signing === undefined) throw new Error('none signs')
        const ends = (begun.length > 0 ? begun : keys).map(endOf)
        expect(endOf(signing)).to.equal(begun.length > 0 ? Math.max(...ends) : Math.min(...ends))
      }),
      { seed: SEED },
    )
  })
})
