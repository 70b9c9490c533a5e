import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { EndedEpoch, NewEntry, Store, StoreUnavailable } from './ports/store.ts'
import { toChange } from './recording/facts.ts'

/** An operator gives the log another epoch: after a restore that the store cannot notice. */
export type RenewLog = TE.TaskEither<StoreUnavailable, Readonly<{ epoch: string; previousEpoch: string }>>

export const renewLog =
  ({
    store,
    clock,
    random,
    digests,
  }: Readonly<{
    store: Pick<Store, 'renewEpoch'>
    clock: Clock
    random: Random
    digests: Digests
  }>): RenewLog =>
  async () => {
    let previousEpoch = ''
    const entryOf = (ended: EndedEpoch): NewEntry => {
      previousEpoch = ended.epoch
      const change = toChange([{ _tag: 'LogRenewed', ended }], {
        actor: { kind: 'operator' },
        requestId: undefined,
        atMilliseconds: clock(),
        uuid: () => random.uuid(),
        sha256: (text) => digests.sha256(text),
      })
      return change.events[0]
    }
    return pipe(
      store.renewEpoch(entryOf),
      TE.map((epoch) => ({ epoch, previousEpoch })),
    )()
  }
