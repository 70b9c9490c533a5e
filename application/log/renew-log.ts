import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { EndedEpoch, NewEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { toChange } from '../recording/facts.ts'
import { operatorOf, type RequestContext } from '../recording/recorder.ts'

/** Gives the log a new epoch for an operator, after a restore that the store cannot detect. */
export type RenewLog = (
  context: RequestContext,
) => TE.TaskEither<StoreUnavailable, Readonly<{ epoch: string; previousEpoch: string }>>

type Dependencies = Readonly<{
  store: Pick<Store, 'renewEpoch'>
  clock: Clock
  random: Random
  digests: Digests
}>

export const renewLog =
  (dependencies: Dependencies): RenewLog =>
  (context) =>
  async () => {
    let previousEpoch = ''
    const entryOf = (ended: EndedEpoch): NewEntry => {
      previousEpoch = ended.epoch
      return renewalEntry(dependencies, context, ended)
    }
    return pipe(
      dependencies.store.renewEpoch(entryOf),
      TE.map((epoch) => ({ epoch, previousEpoch })),
    )()
  }

const renewalEntry = (
  { clock, random, digests }: Dependencies,
  context: RequestContext,
  ended: EndedEpoch,
): NewEntry => {
  const change = toChange([{ _tag: 'LogRenewed', ended }], {
    actor: operatorOf(context),
    requestId: context.requestId,
    atMilliseconds: clock(),
    uuid: () => random.uuid(),
    sha256: (text) => digests.sha256(text),
  })
  return change.events[0]
}
