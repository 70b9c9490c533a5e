import { STORES } from '../support/stores.ts'
import { type EntriesKeptAtMost, protocolStateContract } from '../testkit/protocol-state.ts'

for (const { name, isShared, layOut, openProtocolState } of STORES) {
  const open = async (keptAtMost: EntriesKeptAtMost) => {
    const { url, remove } = await layOut()
    const another = () => openProtocolState(url, keptAtMost)
    return { state: await another(), reopen: another, another, close: remove }
  }
  describe(`the contract of ProtocolState, kept by ${name}`, () =>
    protocolStateContract({ describe, it }, open, isShared ? { lasting: open, shared: open } : {}))
}
