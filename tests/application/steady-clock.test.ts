import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import type { Store } from '../../application/ports/store.ts'
import { steadyClock } from '../../application/recording/steady-clock.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const START_MS = Date.parse('2026-01-02T03:04:05.000Z')
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

/** Writes an entry with this time. */
const writeAt = (store: Store, milliseconds: number): Promise<void> => {
  const written = change(issuedToken())
  const [event] = written.events
  return commitAll(store, { ...written, events: [{ ...event, at: new Date(milliseconds).toISOString() }] })
}

/** A steady clock of a process that starts now. `elapsed` is how long it runs, and `ahead` how far the system's clock is ahead. */
const started = (store: Pick<Store, 'readEvents'>) => {
  const state = { elapsed: 0, ahead: 0 }
  const timer = { now: () => state.elapsed, until: () => async () => {} }
  const read = steadyClock({ store, clock: () => START_MS + state.elapsed + state.ahead, timer })
  return { state, read }
}

onMemory('a steady clock', (stores) => {
  type Step = readonly [elapsedMs: number, aheadMs: number, readingMs: number]
  const CASES: ReadonlyArray<readonly [name: string, newestMs: number | undefined, ...Array<Step>]> = [
    ['follows the time', 0, [0, 0, 0], [5, 0, 5], [YEAR_MS, 0, YEAR_MS]],
    [
      'begins at the newest entry, if that is older',
      -HOUR_MS,
      [0, 0, -HOUR_MS],
      [YEAR_MS, 0, YEAR_MS - HOUR_MS],
    ],
    ['never passes the clock, if the newest entry is ahead', YEAR_MS, [0, 0, 0], [HOUR_MS, 0, HOUR_MS]],
    ['ignores a clock that is ahead at the start', 0, [0, YEAR_MS, 0], [YEAR_MS, YEAR_MS, YEAR_MS]],
    [
      'ignores a jump ahead, however long it lasts',
      0,
      [0, 0, 0],
      [5, HOUR_MS, 5],
      [YEAR_MS, HOUR_MS, YEAR_MS],
    ],
    ['follows a jump back at once, and its end', 0, [0, 0, 0], [5, -HOUR_MS, 5 - HOUR_MS], [6, 0, 6]],
    ['follows the clock in an empty log', undefined, [0, 0, 0], [HOUR_MS, 0, HOUR_MS]],
    ['ignores a jump ahead after a start in an empty log', undefined, [0, 0, 0], [5, YEAR_MS, 5]],
  ]
  for (const [name, newestMs, ...steps] of CASES)
    it(name, async () => {
      const { store } = await stores.lasting()
      if (newestMs !== undefined) {
        await writeAt(store, START_MS - YEAR_MS)
        await writeAt(store, START_MS + newestMs)
      }
      const { state, read } = started(store)
      for (const [elapsed, ahead, reading] of steps) {
        Object.assign(state, { elapsed, ahead })
        expect((await succeed(read)) - START_MS, `${elapsed} ms later`).to.equal(reading)
      }
    })

  it('does not count entries that its process has written with a clock that is ahead', async () => {
    const { store } = await stores.lasting()
    await writeAt(store, START_MS)
    const { state, read } = started(store)
    state.ahead = YEAR_MS
    expect(await succeed(read)).to.equal(START_MS)
    await writeAt(store, START_MS + YEAR_MS)
    expect(await succeed(read)).to.equal(START_MS)
  })

  it('begins once the store can be read', async () => {
    const { store } = await stores.lasting()
    await writeAt(store, START_MS)
    const AWAY = left({ _tag: 'StoreUnavailable', reason: 'away' } as const)
    let isAway = true
    const { state, read } = started({
      readEvents: (query) => async () => (isAway ? AWAY : store.readEvents(query)()),
    })
    expect(await read()).to.deep.equal(AWAY)
    isAway = false
    Object.assign(state, { elapsed: HOUR_MS, ahead: YEAR_MS })
    expect(await read()).to.deep.equal(right(START_MS))
    isAway = true
    state.elapsed += 5
    expect(await read()).to.deep.equal(right(START_MS + 5))
  })
})
