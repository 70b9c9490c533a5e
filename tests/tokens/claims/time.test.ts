import { CLOCK_TOLERANCE_SECONDS } from '../../../domain/clock-tolerance.ts'
import { type Attack, expectAccepted, expectRefused, refuses, type Target, underAttack } from '../target.ts'
import { KINDS, rfc3339OfSeconds } from '../well-signed.ts'

/** A time this many seconds after the good tokens were made, in the notation of each kind. */
const MOMENTS = {
  application: (t: Target, seconds: number) => t.application.claims.iat + seconds,
  user: (t: Target, seconds: number) => rfc3339OfSeconds(t.user.claims.iat + seconds),
  user_jwt: (t: Target, seconds: number) => t.user_jwt.claims.iat + seconds,
}

const HOUR = 3_600
const A_MOMENT = 0.001

for (const { kind, name, signed } of KINDS) {
  const at = MOMENTS[kind]

  describe(`the lifetime of ${name}`, () => {
    const target = underAttack()
    beforeEach(() => target().setClock(0))

    refuses(target, [
      [`${name} that expired an hour ago`, signed((t) => ({ iat: at(t, -2 * HOUR), exp: at(t, -HOUR) }))],
      [
        `${name} that expired at the start of the tolerance`,
        signed((t) => ({ iat: at(t, -HOUR), exp: at(t, -CLOCK_TOLERANCE_SECONDS) })),
      ],
      [`${name} with exp before iat`, signed((t) => ({ exp: at(t, -HOUR) }))],
      [`${name} issued an hour in the future`, signed((t) => ({ iat: at(t, HOUR), exp: at(t, 2 * HOUR) }))],
      [
        `${name} issued one second beyond the tolerance`,
        signed((t) => ({ iat: at(t, CLOCK_TOLERANCE_SECONDS + 1) })),
      ],
      [
        `${name} with times at the epoch`,
        signed((t) => ({ iat: at(t, -t[kind].claims.iat), exp: at(t, -t[kind].claims.iat) })),
      ],
      [`${name} that expired before the epoch`, signed((t) => ({ exp: at(t, -t[kind].claims.iat - HOUR) }))],
      [
        `${name} of the year 9999`,
        signed(() => ({ iat: kind === 'user' ? '9999-12-31T23:59:59Z' : 253_402_300_799 })),
      ],
    ] satisfies ReadonlyArray<Attack>)

    it('is valid until the tolerance after exp has passed', async () => {
      const t = target()
      const token = signed(() => ({ exp: at(t, 60) }))(t)
      t.setClock(60 + CLOCK_TOLERANCE_SECONDS - A_MOMENT)
      await expectAccepted(t, kind, token)
      t.setClock(60 + CLOCK_TOLERANCE_SECONDS)
      await expectRefused(t, token)
    })

    it('is valid from the tolerance before iat', async () => {
      const t = target()
      const token = signed(() => ({ iat: at(t, 60) }))(t)
      t.setClock(60 - CLOCK_TOLERANCE_SECONDS - A_MOMENT)
      await expectRefused(t, token)
      t.setClock(60 - CLOCK_TOLERANCE_SECONDS)
      await expectAccepted(t, kind, token)
    })

    it('is checked at each use, although the signature is cached', async () => {
      const t = target()
      const token = signed(() => ({ exp: at(t, 10) }))(t)
      await expectAccepted(t, kind, token)
      t.setClock(10 + CLOCK_TOLERANCE_SECONDS)
      await expectRefused(t, token)
      t.setClock(0)
      await expectAccepted(t, kind, token)
    })
  })
}
