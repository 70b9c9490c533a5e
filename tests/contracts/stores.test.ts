import { STORES } from '../support/stores.ts'
import { casesOnStore } from '../testkit/frames.ts'
import { closingCases } from '../testkit/store/closing.ts'
import { storeContract } from '../testkit/store.ts'

for (const { name, isShared, layOut, openStore, openFaulty, openWarm } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    const another = () => openStore(url)
    return { store: await another(), reopen: another, another, close: remove }
  }
  const openWith = (make: NonNullable<typeof openFaulty>) => async () => {
    const { url, remove } = await layOut()
    const { close, ...faulty } = await make(url)
    return {
      ...faulty,
      close: async () => {
        await close?.()
        await remove()
      },
    }
  }
  const faulty = openFaulty === undefined ? undefined : openWith(openFaulty)
  describe(`the contract of Store, kept by ${name}`, () =>
    storeContract({ describe, it }, openWarm ?? open, {
      ...(isShared ? { lasting: open, shared: open } : {}),
      ...(faulty === undefined ? {} : { failing: faulty, losing: faulty }),
    }))
  if (openWarm !== undefined)
    describe(`the end of connections of ${name}`, () => closingCases(casesOnStore({ describe, it }, open)))
}
