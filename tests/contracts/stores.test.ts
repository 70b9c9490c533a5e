import { STORES } from '../support/stores.ts'
import { storeContract } from './store.ts'

for (const { name, isShared, layOut, openStore } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    const another = () => openStore(url)
    return { store: await another(), reopen: another, another, close: remove }
  }
  describe(`the contract of Store, kept by ${name}`, () =>
    storeContract({ describe, it }, open, isShared ? { lasting: open, shared: open } : {}))
}
