import { newId } from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of the service: summaries of refusals, exports, and the log itself. None has a row. */
export const serviceEvents = (): CasesOf<
  'RefusalsSummarized' | 'UsersExported' | 'LogRenewed' | 'LogPruned'
> => {
  const subject = { kind: 'service', id: 'portcullis' } as const
  /** Ascending by count. The log has the last ten, in the other order. */
  const subjects = Array.from({ length: 11 }, (_, index) => ({ id: newId(), count: 100 + index }))
  return {
    RefusalsSummarized: {
      before: [],
      fact: {
        _tag: 'RefusalsSummarized',
        type: 'SignInRefused',
        count: 1_000_000,
        fromMilliseconds: Date.parse('2026-01-02T03:03:00.001Z'),
        toMilliseconds: Date.parse('2026-01-02T03:04:00.002Z'),
        reasons: new Map([
          ['user_disabled', 1_000],
          ['wrong_password', 999_000],
        ]),
        subjects: new Map(subjects.map(({ id, count }) => [id, count])),
      },
      event: {
        type: 'RefusalsSummarized',
        version: 1,
        subject,
        data: {
          type: 'SignInRefused',
          count: 1_000_000,
          from: '2026-01-02T03:03:00.001Z',
          to: '2026-01-02T03:04:00.002Z',
          reasons: [
            { reason: 'wrong_password', count: 999_000 },
            { reason: 'user_disabled', count: 1_000 },
          ],
          subjects: subjects.slice(1).reverse(),
        },
      },
      rows: [],
    },
    UsersExported: {
      before: [],
      fact: { _tag: 'UsersExported', count: 1_000_000 },
      event: {
        type: 'UsersExported',
        version: 1,
        subject,
        data: { count: 1_000_000 },
      },
      rows: [],
    },
    LogRenewed: {
      before: [],
      fact: { _tag: 'LogRenewed', ended: { epoch: '3fa81c02', size: 1_000_000 } },
      event: {
        type: 'LogRenewed',
        version: 1,
        subject,
        data: { previous_origin: '3fa81c02', size: 1_000_000 },
      },
      rows: [],
    },
    LogPruned: {
      before: [],
      fact: {
        _tag: 'LogPruned',
        pruning: PRUNING,
      },
      event: {
        type: 'LogPruned',
        version: 1,
        subject,
        data: PRUNING,
      },
      rows: [],
    },
  }
}

const PRUNING = {
  before: '2026-01-02T03:03:00.001Z',
  through: 1_000_000,
  entries: 900_000,
  proof:
    'Entries pruned from this log:\nid.example.com/api/v1/log/3fa81c02\n1000000\nroot=\n100000 900000\n\n— signature\n',
}
