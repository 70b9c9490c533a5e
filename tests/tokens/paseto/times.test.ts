import { expect } from 'chai'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import { succeed } from '../../support/outcome.ts'
import { forgePaseto } from '../forge.ts'
import { type Attack, refusesForged, underAttack } from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

/** Texts that are not an RFC 3339 time, not a whole second, or a time only for a lenient reader. */
const NO_TIMES: ReadonlyArray<unknown> = [
  ...[
    '2026-11-21T00:00:00',
    '2026-11-21T00:00Z',
    '2026-11-21',
    '2026-11',
    '2026',
    '',
    ' ',
    'now',
    'P1D',
    '0',
  ],
  ...['2026-11-21 00:00:00Z', '2026-11-21t00:00:00z', '2026-11-21T00:00:00z', ' 2026-11-21T00:00:00Z'],
  ...['2026-11-21T00:00:00Z ', '2026-11-21T00:00:00Z\n', '2026-11-21T00:00:00Z\0', '2026-11-21T00:00:00ZZ'],
  ...['2026-11-20T24:00:00Z', '2026-11-20T23:60:00Z', '2026-11-20T23:59:60Z', '2026-02-30T00:00:00Z'],
  ...['2027-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-11-00T00:00:00Z'],
  ...[
    '2026-11-21T00:00:00+24:00',
    '2026-11-21T00:00:00+00:60',
    '2026-11-21T00:00:00+0100',
    '2026-11-21T00:00:00+01',
  ],
  ...[
    '2026-11-21T00:00:00.Z',
    '2026-11-21T00:00:00,000Z',
    '2026-11-21T00:00:00.001Z',
    '2026-11-21T00:00:00.5Z',
  ],
  ...['+002026-11-21T00:00:00Z', '-000001-11-21T00:00:00Z', '10000-01-01T00:00:00Z', '20261121T000000Z'],
  ...[
    '2026-W47-6T00:00:00Z',
    '2026-325T00:00:00Z',
    'Sat, 21 Nov 2026 00:00:00 GMT',
    'Sat Nov 21 2026',
    '1795219200',
  ],
  ...[
    '\uff12026-11-21T00:00:00Z',
    '2026\u221211\u221221T00:00:00Z',
    '\u0662\u0660\u0662\u0666-11-21T00:00:00Z',
  ],
  ...[1_795_219_200, 1_795_219_200_000, -1, 0, 1.5, true, null, [], {}, ['2026-11-21T00:00:00Z']],
]

/** Other RFC 3339 spellings of one second. Only the key holder could sign them, and a token has one spelling. */
const OTHER_SPELLINGS = [
  ...['2026-11-21T00:00:00Z', '2026-11-21T00:00:00+00:00', '2026-11-21T00:00:00-00:00'],
  ...['2026-11-21T01:00:00+01:00', '2026-11-20T18:30:00-05:30', '2026-11-21T00:00:00.000000Z'],
]

describe('the times of a user token', () => {
  const target = underAttack()

  refusesForged(
    target,
    [...NO_TIMES, ...OTHER_SPELLINGS].flatMap((time) =>
      ['exp', 'iat', 'auth_time'].map(
        (claim): Attack => [
          `${JSON.stringify(time)} for ${claim}`,
          (t) => forgePaseto(t.keys.user, JSON.stringify({ ...writtenClaims(t), [claim]: time })),
        ],
      ),
    ),
  )

  it('reads the spelling that it writes', async () => {
    const t = target()
    const token = forgePaseto(
      t.keys.user,
      JSON.stringify({ ...writtenClaims(t), exp: '2026-11-21T00:00:00.000Z' }),
    )
    const { exp } = await succeed(pasetoUserTokens().verify(token, [t.keys.user]))
    expect(exp).to.equal(Date.parse('2026-11-21T00:00:00Z') / 1000)
  })
})
