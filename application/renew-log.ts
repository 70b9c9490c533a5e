import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Clock, Digests, Random } from './ports/environment.ts'
import type { EndedEpoch, NewEntry, Store, StoreUnavailable } from './ports/store.ts'
import { toChange } from './recording/facts.ts'

/** Gives the log a new epoch for an operator, after a restore that the store cannot detect. */
export type RenewLog = TE.TaskEither<StoreUnavailable, Readonly<{ epoch: string; previousEpoch: string }>>

type Dependencies = Readonly<{
  store: Pick<Store, 'renewEpoch'>
  clock: Clock
  random: Random
  digests: Digests
}>

export const renewLog =
  (dependencies: Dependencies): RenewLog =>
  async () => {
    let previousEpoch = ''
    const entryOf = (ended: EndedEpoch): NewEntry => {
      previousEpoch = ended.epoch
      return renewalEntry(dependencies, ended)
    }
    return pipe(
      dependencies.store.renewEpoch(entryOf),
      TE.map((epoch) => ({ epoch, previousEpoch })),
    )()
  }

const renewalEntry = ({ clock, random, digests }: Dependencies, ended: EndedEpoch): NewEntry => {
  const change = toChange([{ _tag: 'LogRenewed', ended }], {
    actor: { kind: 'operator' },
    requestId: undefined,
    atMilliseconds: clock(),
    uuid: () => random.uuid(),
    sha256: (text) => digests.sha256(text),
  })
  return change.events[0]
}
