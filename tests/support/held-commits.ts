import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { type Gate, gate } from './waiting.ts'

/** Holds a change between its decision and its write. `front` goes before the store. */
export const heldCommits = () => {
  let held: Readonly<{ type: EventType; at: Gate }> | undefined
  return {
    front: (inner: Store): Store => ({
      ...inner,
      commit: (change) => async () => {
        if (change.events.some(({ type }) => type === held?.type)) await held?.at.pass()
        return inner.commit(change)()
      },
    }),
    hold: (type: EventType, at: Gate): void => {
      held = { type, at }
    },
    /** Lets all go on, and holds no others. */
    release: (): void => {
      held?.at.open()
      held = undefined
    },
    /** Lets `late` decide, then runs `early` completely, then lets `late` write. */
    overtake: async <A>(
      { late, writes }: Readonly<{ late: () => Promise<A>; writes: EventType }>,
      early: () => Promise<unknown>,
    ): Promise<A> => {
      const at = gate()
      held = { type: writes, at }
      const answer = late()
      await at.reached
      held = undefined // `early` may write the same type
      await early()
      at.open()
      return answer
    },
  }
}
