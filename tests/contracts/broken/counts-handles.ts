import * as O from 'fp-ts/lib/Option.js'
import { memoryFailureCounts } from '../../../adapters/stores/memory/failure-counts.ts'
import type { Clock } from '../../../application/ports/environment.ts'
import { type FailureCounts, KEPT_AT_MOST } from '../../../application/ports/failure-counts.ts'
import { type Known, keeping, knowing, looksEarly, updating } from './counts.ts'
import { caughtBy } from './harness.ts'
import { late, type MutateHandles, oneAfterTheOther } from './mutations.ts'

export type CountHandles = MutateHandles<FailureCounts>
const ofHandles = caughtBy<CountHandles>

/** Any clock, for mutations that ignore it. */
const clock: Clock = () => 0

const THERE_AGAIN = 'counts are there again, to the millisecond'

/** Counts that differ after they are reopened. */
export const LASTING_COUNT_MUTATIONS = [
  ...ofHandles(THERE_AGAIN, {
    'forgets everything': () => (_, life) => (life === 1 ? {} : memoryFailureCounts(clock)),
  }),
  ...ofHandles('deleted counts are not there again', {
    'comes back with what was deleted': (core) => (_, life) =>
      life === 1 ? keeping((kept, known) => (O.isNone(kept) ? known : kept))(core, clock, KEPT_AT_MOST) : {},
  }),
  ...ofHandles('updates that were not awaited before close are there', {
    'drops what waits when it is closed': () => (handle, life) =>
      life === 1 ? late<FailureCounts>('update')(handle) : {},
  }),
  ...ofHandles('counts can be closed and reopened repeatedly, and continue', {
    'is empty when it is opened for the second time': () => (_, life) =>
      life > 2 ? memoryFailureCounts(clock) : {},
  }),
]

const CLOSED = 'closing one handle drops none of its updates, and leaves the others open'

/** Counts whose handles ignore each other. */
export const SHARED_COUNT_MUTATIONS = [
  ...ofHandles(
    [
      'an update through one handle is visible through the others, even after they read',
      'a deletion through one handle is visible through the others',
    ],
    {
      'knows only what the handle has kept': (core) => () => {
        const own = new Map<string, Known>()
        const { update = core.update } = keeping((kept, _, key) => {
          own.set(key, kept)
          return kept
        })(core, clock, KEPT_AT_MOST)
        return knowing((known, key) => own.get(key) ?? known)({ ...core, update }, clock, KEPT_AT_MOST)
      },
    },
  ),
  ...ofHandles(
    [
      '300 concurrent updates of one key through several handles are all counted',
      'concurrent updates through several handles never exceed the limit',
    ],
    {
      'looks under a lock of the handle, and writes later': (core) => () => {
        const locked = oneAfterTheOther()
        return updating((update) => (key, decide) => () => locked(update(key, decide)))(
          { ...core, ...looksEarly(core, clock, KEPT_AT_MOST) },
          clock,
          KEPT_AT_MOST,
        )
      },
    },
  ),
  ...ofHandles(CLOSED, {
    'drops what waits when a handle is closed': () => late('update'),
  }),
]
