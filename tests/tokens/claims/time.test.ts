import { CLOCK_TOLERANCE_SECONDS } from '../../../domain/token.ts'
import { type Attack, expectAccepted, expectRefused, refuses, type Target, underAttack } from '../target.ts'
import { KINDS, rfc3339 } from '../well-signed.ts'

/** A moment so many seconds after the good tokens were made, as each kind writes it. */
const MOMENTS = {
  application: (t: Target, seconds: number) => t.application.claims.iat + seconds,
  user: (t: Target, seconds: number) => rfc3339(t.user.claims.iat + seconds),
}

const HOUR = 3_600
const A_MOMENT = 0.001

for (const { kind, name, signed } of KINDS) {
  const at = MOMENTS[kind]

  describe(`${name} and the time`, () => {
    const target = underAttack()
    beforeEach(() => target().setClock(0))

    refuses(target, [
      [`${name} that expired an hour ago`, signed((t) => ({ iat: at(t, -2 * HOUR), exp: at(t, -HOUR) }))],
      [
        `${name} that expired when the tolerance began`,
        signed((t) => ({ iat: at(t, -HOUR), exp: at(t, -CLOCK_TOLERANCE_SECONDS) })),
      ],
      [`${name} that ended before it began`, signed((t) => ({ exp: at(t, -HOUR) }))],
      [`${name} from an hour ahead`, signed((t) => ({ iat: at(t, HOUR), exp: at(t, 2 * HOUR) }))],
      [
        `${name} from a second beyond the tolerance`,
        signed((t) => ({ iat: at(t, CLOCK_TOLERANCE_SECONDS + 1) })),
      ],
      [
        `${name} of the beginning of time`,
        signed((t) => ({ iat: at(t, -t[kind].claims.iat), exp: at(t, -t[kind].claims.iat) })),
      ],
      [
        `${name} that expired before the beginning of time`,
        signed((t) => ({ exp: at(t, -t[kind].claims.iat - HOUR) })),
      ],
      [
        `${name} of the year 9999`,
        signed(() => ({ iat: kind === 'user' ? '9999-12-31T23:59:59Z' : 253_402_300_799 })),
      ],
    ] satisfies ReadonlyArray<Attack>)

    it('is good while the tolerance lasts after its end, and not a moment longer', async () => {
      const t = target()
      const token = signed(() => ({ exp: at(t, 60) }))(t)
      t.setClock(60 + CLOCK_TOLERANCE_SECONDS - A_MOMENT)
      await expectAccepted(t, kind, token)
      t.setClock(60 + CLOCK_TOLERANCE_SECONDS)
      await expectRefused(t, token)
    })

    it('is good from the tolerance before its beginning, and not a moment earlier', async () => {
      const t = target()
      const token = signed(() => ({ iat: at(t, 60) }))(t)
      t.setClock(60 - CLOCK_TOLERANCE_SECONDS - A_MOMENT)
      await expectRefused(t, token)
      t.setClock(60 - CLOCK_TOLERANCE_SECONDS)
      await expectAccepted(t, kind, token)
    })

    it('is judged anew each time, though its signature is remembered', async () => {
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
