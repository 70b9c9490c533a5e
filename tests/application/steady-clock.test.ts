import { expect } from 'chai'
import { steadyClock } from '../../application/steady-clock.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

describe('a steady clock', () => {
  /** What the clock says after `elapsedMs` if the system's clock is `aheadMs` ahead then, step by step. */
  const readings = (...steps: ReadonlyArray<readonly [elapsedMs: number, aheadMs: number]>) => {
    let [elapsed, ahead] = [0, 0]
    const timer = { now: () => elapsed, until: () => async () => {} }
    const read = steadyClock({ clock: () => 1_000_000 + elapsed + ahead, timer })
    return steps.map((step) => {
      ;[elapsed, ahead] = step
      return read() - 1_000_000 - elapsed
    })
  }

  const CASES: ReadonlyArray<
    readonly [name: string, steps: ReadonlyArray<readonly [number, number]>, ahead: ReadonlyArray<number>]
  > = [
    [
      'follows the time',
      [
        [0, 0],
        [5, 0],
        [YEAR_MS, 0],
      ],
      [0, 0, 0],
    ],
    ['follows a correction of a minute', [[5, 60_000]], [60_000]],
    ['ignores more than a minute', [[5, 60_001]], [0]],
    [
      'ignores a jump of a year, also an hour later',
      [
        [5, YEAR_MS],
        [HOUR_MS, YEAR_MS],
      ],
      [0, 0],
    ],
    [
      'follows a jump that has lasted for a day',
      [
        [5, YEAR_MS],
        [24 * HOUR_MS + 5, YEAR_MS],
      ],
      [0, YEAR_MS],
    ],
    [
      'counts the day again after the clock was right',
      [
        [5, YEAR_MS],
        [HOUR_MS, 0],
        [24 * HOUR_MS + 5, YEAR_MS],
      ],
      [0, 0, 0],
    ],
    ['follows a jump back at once', [[5, -YEAR_MS]], [-YEAR_MS]],
    [
      'keeps the new time once it has followed a jump',
      [
        [5, YEAR_MS],
        [24 * HOUR_MS + 5, YEAR_MS],
        [25 * HOUR_MS, YEAR_MS],
      ],
      [0, YEAR_MS, YEAR_MS],
    ],
  ]
  for (const [name, steps, ahead] of CASES)
    it(name, () => {
      expect(readings(...steps)).to.deep.equal(ahead)
    })
})
