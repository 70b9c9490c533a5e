import { expect } from 'chai'
import fc from 'fast-check'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { openState, stateText } from '../../domain/sealed-state.ts'
import { SEED, withoutIo } from './no-io.ts'

const NOW = 1_772_366_400_000
const NONCE = Uint8Array.from({ length: 16 }, () => 255)

describe('the state of a ceremony', () => {
  withoutIo()

  const at = (nowMs: number) => ({ nowMs, lifetimeSeconds: 600 })

  it('opens as it was written with any parts', () => {
    const part = fc.string().filter((text) => !text.includes('\n'))
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const state = { issuedAtMs: NOW, parts }
        expect(openState(stateText(state, NONCE), at(NOW))).to.deep.equal(some(state))
      }),
      { seed: SEED },
    )
  })

  for (const [name, milliseconds, isOpen] of [
    ['at once', 0, true],
    ['at its end', 600_000, true],
    ['after its end', 600_001, false],
    ['at an instance whose clock is 5 seconds behind', -5000, true],
    ['at an instance whose clock is more than 5 seconds behind', -5001, false],
  ] as const)
    it(`${isOpen ? 'opens' : 'does not open'} ${name}`, () => {
      const text = stateText({ issuedAtMs: NOW, parts: ['a'] }, NONCE)
      expect(isSome(openState(text, at(NOW + milliseconds)))).to.equal(isOpen)
    })

  for (const damaged of ['', ' ', '\n', `-${NOW}\nA\nb`, `${NOW}0000\nA\nb`, `x${NOW}`])
    it(`is none of another form: ${JSON.stringify(damaged.slice(0, 30))}`, () => {
      expect(openState(damaged, at(NOW))).to.deep.equal(none)
    })
})
