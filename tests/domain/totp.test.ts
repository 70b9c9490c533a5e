import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  acceptStep,
  candidatesAt,
  counterBytes,
  normalizedCode,
  otpauthUri,
  sixDigits,
  stepAt,
  type TotpProblem,
} from '../../domain/totp.ts'
import { SEED, withoutIo } from './no-io.ts'

/** The secret of RFC 6238 and RFC 4226. */
const SECRET = Buffer.from('12345678901234567890')
const hmacWith = (secret: Uint8Array) => (message: Uint8Array) =>
  Uint8Array.from(createHmac('sha1', secret).update(message).digest())
const hmac = hmacWith(SECRET)
const codeAt = (step: number): string => sixDigits(hmac(counterBytes(step)))

describe('the code of a step', () => {
  withoutIo()

  /** RFC 6238 appendix B, SHA-1: the last six of eight digits. */
  const OF_TIMES = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const
  for (const [seconds, code] of OF_TIMES) {
    it(`is ${code} at ${seconds} seconds, as RFC 6238 says`, () => {
      expect(codeAt(stepAt(seconds))).to.equal(code)
    })
  }

  /** RFC 4226 appendix D. */
  const OF_COUNTERS = [
    ...['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'],
  ]
  for (const [counter, code] of OF_COUNTERS.entries()) {
    it(`is ${code} for counter ${counter}, as RFC 4226 says`, () => {
      expect(codeAt(counter)).to.equal(code)
    })
  }

  it('begins a new step every 30 seconds', () => {
    expect([0, 29, 30, 59, 60, 1_800_000_000].map(stepAt)).to.deep.equal([0, 0, 1, 1, 2, 60_000_000])
  })

  it('is made of eight bytes, the highest first', () => {
    expect([...counterBytes(0)]).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0])
    expect([...counterBytes(0x01_0203_0405)]).to.deep.equal([0, 0, 0, 1, 2, 3, 4, 5])
    fc.assert(
      fc.property(fc.maxSafeNat(), (step) => {
        const bytes = counterBytes(step)
        expect(bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n)).to.equal(BigInt(step))
      }),
      { seed: SEED },
    )
  })

  it('has six digits, for any HMAC', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (mac) => {
        const code = sixDigits(mac)
        expect(code).to.match(/^[0-9]{6}$/)
        const at = (mac[19] ?? 0) & 15
        const number = Buffer.from(mac).readUInt32BE(at) & 0x7fff_ffff
        expect(Number(code)).to.equal(number % 1_000_000)
      }),
      { seed: SEED },
    )
  })
})

const NOW = stepAt(1_800_000_000)
const enter = (code: string, mark = 0, nowStep = NOW) =>
  acceptStep({ candidates: candidatesAt(nowStep, hmac), code, mark, nowStep })

describe('a code', () => {
  withoutIo()

  const TABLE: ReadonlyArray<
    readonly [what: string, step: number, mark: number, outcome: Either<TotpProblem, number>]
  > = [
    ['of this step is accepted', NOW, 0, right(NOW)],
    ['of the step before is accepted', NOW - 1, 0, right(NOW - 1)],
    ['of the next step is accepted', NOW + 1, 0, right(NOW + 1)],
    ['of two steps before is wrong', NOW - 2, 0, left('WrongCode')],
    ['of the step after the next is wrong', NOW + 2, 0, left('WrongCode')],
    ['of this step is accepted after the one before', NOW, NOW - 1, right(NOW)],
    ['is not accepted twice', NOW, NOW, left('UsedCode')],
    ['of the step before is not accepted after a later one', NOW - 1, NOW, left('UsedCode')],
    ['of the next step is not accepted twice', NOW + 1, NOW + 1, left('UsedCode')],
    ['of no step is wrong, also after a later one', NOW - 2, NOW + 1, left('WrongCode')],
    ['is refused while the clock is two minutes behind the mark', NOW, NOW + 4, left('UsedCode')],
    ['is accepted if the mark is from a clock that was further ahead', NOW, NOW + 5, right(NOW)],
    ['is accepted if the mark is from a clock that was an hour ahead', NOW, NOW + 120, right(NOW)],
  ]
  for (const [what, step, mark, outcome] of TABLE) {
    it(what, () => expect(enter(codeAt(step), mark)).to.deep.equal(outcome))
  }

  for (const code of [
    '',
    '0',
    '00000',
    '0000000',
    `${codeAt(NOW)} `,
    `${codeAt(NOW)}0`,
    'abcdef',
    '１２３４５６',
  ]) {
    it(`is wrong as ${JSON.stringify(code)}`, () => expect(enter(code)).to.deep.equal(left('WrongCode')))
  }

  it('that two steps share counts for the later one, so that it cannot be used again', () => {
    const candidates = [NOW - 1, NOW, NOW + 1].map((step) => ({
      step,
      code: step > NOW ? '111111' : '000000',
    }))
    const enterShared = (mark: number) => acceptStep({ candidates, code: '000000', mark, nowStep: NOW })
    expect(enterShared(0)).to.deep.equal(right(NOW))
    expect(enterShared(NOW - 1)).to.deep.equal(right(NOW))
    expect(enterShared(NOW)).to.deep.equal(left('UsedCode'))
  })

  it('of the first steps of all is accepted, and there is no step before', () => {
    expect(candidatesAt(0, hmac).map(({ step }) => step)).to.deep.equal([0, 1])
    expect(enter(codeAt(1), 0, 0)).to.deep.equal(right(1))
  })

  it('is accepted at most once, and never after a later one, whenever codes are entered', () => {
    const entries = fc.array(fc.record({ waits: fc.nat(3), of: fc.integer({ min: -2, max: 2 }) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(entries, fc.uint8Array({ minLength: 10, maxLength: 64 }), (all, secret) => {
        const hmac = hmacWith(secret)
        const accepted: Array<number> = []
        let now = NOW
        for (const { waits, of } of all) {
          now += waits
          const code = sixDigits(hmac(counterBytes(now + of)))
          const mark = accepted.at(-1) ?? 0
          const outcome = acceptStep({ candidates: candidatesAt(now, hmac), code, mark, nowStep: now })
          if (outcome._tag === 'Right') accepted.push(outcome.right)
        }
        expect(accepted).to.deep.equal([...new Set(accepted)].sort((one, other) => one - other))
      }),
      { seed: SEED },
    )
  })

  it('is entered with or without spaces and hyphens', () => {
    for (const code of [
      '123456',
      '123 456',
      ' 123456\n',
      '123\u00a0456',
      '1 2 3 4 5 6',
      '123-456',
      '１２３–４５６',
    ])
      expect(normalizedCode(code)).to.deep.equal(some('123456'))
  })

  it('has six digits', () => {
    for (const text of [
      '',
      '-',
      '12345',
      '1234567',
      '12345a',
      '123.456',
      '+123456',
      '０x1234',
      '12345½',
      'Ⅻ3456',
    ])
      expect(normalizedCode(text), text).to.deep.equal(none)
  })
})

describe('the URI for authenticator apps', () => {
  withoutIo()

  const TABLE = [
    ['auth.example.com', 'ada@example.com', 'auth.example.com:ada%40example.com', 'auth.example.com'],
    ['Otter & Söhne', 'a+b@x.test', 'Otter%20%26%20S%C3%B6hne:a%2Bb%40x.test', 'Otter%20%26%20S%C3%B6hne'],
    ['Acme: Shop', 'a@x.test', 'Acme%20%20Shop:a%40x.test', 'Acme%20%20Shop'],
  ] as const
  for (const [issuer, account, label, shown] of TABLE) {
    it(`names the account ${account} of ${issuer}`, () => {
      expect(otpauthUri({ issuer, account, secret: SECRET })).to.equal(
        `otpauth://totp/${label}?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=${shown}`,
      )
    })
  }
})
