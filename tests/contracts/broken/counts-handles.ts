import * as O from 'fp-ts/lib/Option.js'
import { memoryFailureCounts } from '../../../adapters/driven/memory/failure-counts.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import type { OpenLastingFailureCounts, OpenSharedFailureCounts } from '../failure-counts.ts'
import type { BrokenOne } from './a-contract.ts'
import { endingAs } from './counts-closing.ts'
import { beginningLate, lookingEarly } from './failure-counts.ts'
import { oneAfterTheOther } from './handles.ts'

/** A handle on counts; the counts go on when the handle is closed. */
const handleOn = (core: FailureCounts): FailureCounts =>
  endingAs(core, () => async () => ({
    _tag: 'Left',
    left: { _tag: 'StoreUnavailable', reason: 'the handle is closed' },
  }))

/** Counts in memory that outlive their closing, as long as the process lives. */
export const lastingCounts: OpenLastingFailureCounts = async (clock, keptAtMost) => {
  const core = memoryFailureCounts(clock, keptAtMost)
  return { counts: handleOn(core), reopen: async () => handleOn(core) }
}

/** Counts in memory with as many handles as somebody wants. */
export const sharedCounts: OpenSharedFailureCounts = async (clock, keptAtMost) => {
  const core = memoryFailureCounts(clock, keptAtMost)
  return { counts: handleOn(core), another: async () => handleOn(core) }
}

/** Counts that are not what they were when they are opened again. */
export const BROKEN_LASTING_COUNTS: ReadonlyArray<BrokenOne<OpenLastingFailureCounts>> = [
  lasting('forget everything', 'what was kept is there again, to the millisecond', (_, life, fresh) =>
    life === 1 ? {} : fresh,
  ),
  lasting(
    'come back with whole seconds',
    'what was kept is there again, to the millisecond',
    (core, life) => ({
      update: (key, decide) =>
        core.update(key, (known) => decide(life === 1 ? known : O.map(inSeconds)(known))),
    }),
  ),
  lasting('come back with what was deleted', 'what was deleted is not there again', (core, life) => ({
    update: (key, decide) =>
      life === 1
        ? core.update(key, (known) => {
            const { kept, answer } = decide(known)
            return { kept: O.isNone(kept) ? known : kept, answer }
          })
        : core.update(key, decide),
  })),
  lasting(
    'drop what waits when they are closed',
    'updates that nobody awaited before they were closed are there',
    (_, life, __, handle) => (life === 1 ? beginningLate(handle) : {}),
  ),
  lasting(
    'are there once more, and then no longer',
    'they may be closed and opened again and again, and count on',
    (_, life, fresh) => (life > 2 ? fresh : {}),
  ),
]

/** Counts each handle of which is as it should be, as long as there is no other. */
export const BROKEN_SHARED_COUNTS: ReadonlyArray<BrokenOne<OpenSharedFailureCounts>> = [
  shared(
    'know what the handle has kept',
    [
      'what is kept through one handle is known to the others, however often they looked',
      'what is deleted through one handle is gone for the others',
    ],
    (core) => {
      const known = new Map<string, O.Option<Failures>>()
      return {
        update: (key, decide) =>
          core.update(key, (stored) => {
            const decided = decide(known.get(key) ?? stored)
            known.set(key, decided.kept)
            return decided
          }),
      }
    },
  ),
  shared(
    'look under a lock of the handle, and write later',
    [
      '300 on one key through several handles at once are all counted',
      'through several handles at once as many are let through as the limit allows',
    ],
    (core) => {
      const locked = oneAfterTheOther()
      const { update } = lookingEarly(core)
      return { update: (key, decide) => () => locked(update(key, decide)) }
    },
  ),
  shared(
    'close the counts with the handle',
    'closing one handle drops none of its updates, and leaves the others open',
    (core) => ({ close: core.close }),
  ),
  shared(
    'drop what waits when a handle is closed',
    'closing one handle drops none of its updates, and leaves the others open',
    (_, handle) => beginningLate(handle),
  ),
]

/**
 * Counts that are wrong in one of their lives: the first is the one before they are closed.
 *
 * @param methods what is wrong, given the counts themselves, which life it is, other counts, and the handle as it should be
 */
function lasting(
  breaks: string,
  caughtBy: string,
  methods: (
    core: FailureCounts,
    life: number,
    fresh: FailureCounts,
    handle: FailureCounts,
  ) => Partial<FailureCounts>,
): BrokenOne<OpenLastingFailureCounts> {
  return {
    breaks,
    caughtBy: [caughtBy],
    open: async (clock, keptAtMost) => {
      const core = memoryFailureCounts(clock, keptAtMost)
      let life = 0
      const next = () => {
        life += 1
        const handle = handleOn(core)
        return { ...handle, ...methods(core, life, memoryFailureCounts(clock, keptAtMost), handle) }
      }
      return { counts: next(), reopen: async () => next() }
    },
  }
}

/** Counts whose handles have some of their methods replaced. */
function shared(
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (core: FailureCounts, handle: FailureCounts) => Partial<FailureCounts>,
): BrokenOne<OpenSharedFailureCounts> {
  return {
    breaks,
    caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
    open: async (clock, keptAtMost) => {
      const core = memoryFailureCounts(clock, keptAtMost)
      const handle = () => {
        const whole = handleOn(core)
        return { ...whole, ...methods(core, whole) }
      }
      return { counts: handle(), another: async () => handle() }
    },
  }
}

const inSeconds = (kept: Failures): Failures => ({
  ...kept,
  refusedUntil: Math.floor(kept.refusedUntil / 1000) * 1000,
})
