import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { housekeeping } from '../../application/log/housekeeping.ts'
import { logWaiters } from '../../application/log/log-waiters.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import { noteRefusals } from '../../application/recording/note-refusals.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { steadyClock } from '../../application/recording/steady-clock.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** Read here, before the service exists and writes with its own clock. After a failure, the first use reads again. */
export const steadying: Module = provide(
  Dependency.steadyClock,
  { store: Dependency.store, clock: Dependency.clock, timer: Dependency.timer },
  async (needs) => {
    const read = steadyClock(needs)
    await read()
    return read
  },
)

/** Records events. Every use case that changes data needs it. */
export const recording: ReadonlyArray<Module> = [
  provide(
    Dependency.recorder,
    {
      store: Dependency.store,
      clock: Dependency.clock,
      random: Dependency.random,
      digests: Dependency.digests,
    },
    recorder,
  ),
  provide(
    Dependency.refusals,
    { record: Dependency.recorder, background: Dependency.background, clock: Dependency.clock },
    noteRefusals,
  ),
]

/** Deletes expired rows. Only a service that listens starts it. */
export const cleaning: Module = provide(
  Dependency.housekeeping,
  {
    store: Dependency.store,
    background: Dependency.background,
    now: Dependency.steadyClock,
    log: Dependency.log,
    meters: Dependency.meters,
  },
  ({ log, meters, ...needs }) =>
    housekeeping({
      ...needs,
      observer: {
        deleted: meters.expiredDeleted,
        failed: ({ reason }) => log.warn({ cause: reason }, 'expired rows could not be deleted'),
      },
    }),
)

/** What the event feed needs besides the store. A store without a tree cannot prune its log. */
export const feeding: ReadonlyArray<Module> = [
  provide(Dependency.logWaiters, { store: Dependency.store, background: Dependency.background }, logWaiters),
  provide(Dependency.prunedThrough, { store: Dependency.store }, ({ store }) => {
    const tree = treeOf(store)
    return tree === undefined
      ? TE.right(0)
      : pipe(
          tree.readTree(),
          TE.map(({ pruned }) => pruned),
        )
  }),
]
