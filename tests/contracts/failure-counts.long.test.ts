import type { Clock } from '../../application/ports/environment.ts'
import { STORES } from '../support/stores.ts'
import { failureCountsContract, type KeptAtMost } from '../testkit/failure-counts.ts'

for (const { name, isShared, layOut, openFailureCounts } of STORES) {
  const open = async (clock: Clock, keptAtMost: KeptAtMost) => {
    const { url, remove } = await layOut()
    const another = () => openFailureCounts(url, clock, keptAtMost)
    return { counts: await another(), reopen: another, another, close: remove }
  }
  describe(`the contract of FailureCounts, kept by ${name}`, () =>
    failureCountsContract({ describe, it }, open, isShared ? { lasting: open, shared: open } : {}))
}
