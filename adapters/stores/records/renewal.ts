import { v7 } from 'uuid'
import type { Change, EndedEpoch, NewEntry } from '../../../application/ports/store.ts'
import { logRenewed } from '../../../domain/event.ts'

/** The entry of a renewal that a store makes by itself before it writes a change. It has the time of the change. */
export const automaticRenewal =
  ({ events: [{ at }] }: Change) =>
  (ended: EndedEpoch): NewEntry => ({
    ...logRenewed(ended),
    id: v7({ msecs: Date.parse(at) }),
    at,
    actor: { kind: 'nobody' },
  })
