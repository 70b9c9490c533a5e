import { expect } from 'chai'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/clock-tolerance.ts'
import { isCurrent } from '../../domain/token.ts'
import { withoutIo } from './no-io.ts'

const ISSUER = 'https://auth.example.com'

describe('the claims of a token', () => {
  withoutIo()

  it('are validated with a tolerance of 5 s', () => {
    expect(CLOCK_TOLERANCE_SECONDS).to.equal(5)
  })

  const CASES: ReadonlyArray<
    readonly [
      name: string,
      facts: { iss?: string; aud?: string; iat?: number; exp?: number; now?: number },
      current: boolean,
    ]
  > = [
    ['are valid between their beginning and their end', {}, true],
    ['are valid at the second of their issue', { now: 1000 }, true],
    ['are valid up to 5 s before their issue', { now: 995 }, true],
    ['are from the future more than 5 s before their issue', { now: 994.999 }, false],
    ['are valid at their end', { now: 2000 }, true],
    ['are valid until the tolerance is over', { now: 2004.999 }, true],
    ['are expired when the tolerance is over', { now: 2005 }, false],
    ['are expired when they ended before they began', { iat: 1500, exp: 1000 }, false],
    ['are valid for the audience that is the issuer', { aud: ISSUER }, true],
    ['are not for us when the audience is another', { aud: 'https://shop.example.com' }, false],
    ['are not for us when the audience is empty', { aud: '' }, false],
    ['are not ours when another made them', { iss: 'https://other.example.com' }, false],
    ['are not ours when the issuer has a trailing slash', { iss: `${ISSUER}/` }, false],
    ['are not ours when the issuer differs in case', { iss: 'https://AUTH.example.com' }, false],
    ['are not ours when the issuer is empty', { iss: '' }, false],
  ]
  for (const [name, { now = 1500, ...claims }, current] of CASES) {
    it(name, () => {
      expect(isCurrent({ iss: ISSUER, iat: 1000, exp: 2000, ...claims }, ISSUER, now)).to.equal(current)
    })
  }
})
