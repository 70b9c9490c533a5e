import { type EventOf, logRenewed, SERVICE } from '../../../domain/event.ts'
import type { RefusalType } from '../../../domain/event-row.ts'
import { highest, type RefusalTally } from '../../../domain/refusal-tally.ts'
import { rfc3339OfMilliseconds } from '../../../domain/rfc3339.ts'
import type { EndedEpoch } from '../../ports/store.ts'
import { defineEvent, logged, NO_ROWS } from './definition.ts'

/** What an entry `LogPruned` says. */
export type Pruning = EventOf<'LogPruned'>['data']

/** What happens to the service as a whole. */
export const SERVICE_EVENTS = {
  RefusalsSummarized: defineEvent<'RefusalsSummarized', { type: RefusalType } & RefusalTally>({
    version: 1,
    event: ({ type, count, fromMilliseconds, toMilliseconds, reasons, subjects }) =>
      logged(SERVICE, {
        type,
        count,
        from: rfc3339OfMilliseconds(fromMilliseconds),
        to: rfc3339OfMilliseconds(toMilliseconds),
        reasons: highest(reasons).map(([reason, times]) => ({ reason, count: times })),
        subjects: highest(subjects, SUBJECTS_SHOWN).map(([id, times]) => ({ id, count: times })),
      }),
    ...NO_ROWS,
  }),

  /** Written before the first line of the file, so that no copy of the records is without its entry. */
  UsersExported: defineEvent<'UsersExported', { count: number }>({
    version: 1,
    event: ({ count }) => logged(SERVICE, { count }),
    ...NO_ROWS,
  }),

  LogRenewed: defineEvent<'LogRenewed', { ended: EndedEpoch }>({
    version: 1,
    event: ({ ended }) => logRenewed(ended),
    rows: () => [],
    expect: ({ data, position }) =>
      data.size === position - 1 ? undefined : `size is ${data.size}, but ${position - 1} entries precede it`,
  }),

  /** Written before the entries are deleted. `provedPositions` reads its proof. */
  LogPruned: defineEvent<'LogPruned', { pruning: Pruning }>({
    version: 1,
    event: ({ pruning: { before, through, entries, proof } }) =>
      logged(SERVICE, { before, through, entries, proof }),
    rows: () => [],
    expect: ({ data, position }) =>
      data.through < position ? undefined : `through is ${data.through}, which is not before it`,
  }),
}

/** The subjects with the most refusals that a summary names. */
const SUBJECTS_SHOWN = 10
