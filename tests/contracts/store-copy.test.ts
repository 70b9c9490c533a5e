import { STORES } from '../support/stores.ts'
import { storeCopyContract } from '../testkit/store-copy.ts'

for (const { name, isShared, layOut, openCopyable } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    return { ...(await openCopyable(url)), reopen: () => openCopyable(url), close: remove }
  }
  describe(`the contract of StoreCopy, kept by ${name}`, () =>
    storeCopyContract({ describe, it }, open, isShared ? { lasting: open } : {}))
}
