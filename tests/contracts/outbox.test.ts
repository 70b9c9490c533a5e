import { STORES } from '../support/stores.ts'
import { outboxContract } from '../testkit/outbox.ts'

for (const { name, isShared, layOut, openCopyable } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    const another = () => openCopyable(url)
    return { ...(await another()), reopen: another, another, close: remove }
  }
  describe(`the contract of Outbox, kept by ${name}`, () =>
    outboxContract({ describe, it }, open, isShared ? { lasting: open, shared: open } : {}))
}
