import { expect } from 'chai'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { integration } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import type { FaultyStore } from '../support/store-kind.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const withTree = (store: Store): Store & LogTree => {
  const log = treeOf(store)
  if (log === undefined) throw new Error('the store has no tree')
  return { ...store, ...log }
}

/** The same tree, which calls `interrupt` once, between the computation of a pass and its storage. */
const interruptedBeforeStorage = (log: LogTree, interrupt: () => Promise<unknown>): LogTree => {
  let isDue = true
  return {
    ...log,
    extendTree: (extend) =>
      log.extendTree((tree, reads) => async () => {
        const extension = await extend(tree, reads)()
        if (isDue) await interrupt()
        isDue = false
        return extension
      }),
  }
}

for (const { name, layOut, openFaulty, openStore } of SHARED_STORES)
  describe(`the integration of a log on ${name} that fails`, () => {
    let url: string
    let faulty: FaultyStore
    let store: Store & LogTree
    let remove: () => Promise<void>
    beforeEach(async () => {
      const place = await layOut()
      const opened = await openFaulty?.(place.url)
      if (opened === undefined) throw new Error('this store cannot fail')
      faulty = opened
      url = place.url
      store = withTree(opened.store)
      remove = place.remove
      await commitAll(store, change(issuedToken(), issuedToken(), issuedToken()))
    })
    afterEach(async () => {
      await store.close()
      await faulty.close?.()
      await remove()
    })

    /** The tree as another process finds it. */
    const treeThere = async () => {
      const other = withTree(await openStore(url))
      const tree = await succeed(other.readTree())
      await other.close()
      return tree
    }

    it('fails that pass only, and signs when the store is back', async () => {
      const { second } = integration(store)
      await faulty.fail()
      const [first] = await second()
      expect(first).to.have.nested.property('failure._tag', 'StoreUnavailable')
      expect(await second(), 'told each time').to.have.length(1)
      await faulty.mend()
      expect(await second()).to.deep.equal([{ pending: 0 }])
      expect((await treeThere()).note).to.contain('\n3\n')
    })

    it('during a pass leaves the tree from before or the next one, and both are continued', async () => {
      await integration(store).second()
      await commitAll(store, change(issuedToken()))
      const { second } = integration(interruptedBeforeStorage(store, faulty.fail))
      await second()
      await faulty.mend()
      const { size, note } = await treeThere()
      expect(size).to.be.oneOf([3, 4])
      expect(note.split('\n')[1]).to.equal(String(size))
      expect(await second()).to.deep.equal([{ pending: 0 }])
      expect((await treeThere()).note).to.contain('\n4\n')
    })

    if (name === 'SQLite') return // an answer is lost on the network
    it('by losing the answer to the storage of the tree: the next pass finds it stored', async () => {
      const { second } = integration(interruptedBeforeStorage(store, faulty.loseAnswer))
      await second()
      expect(await second()).to.deep.equal([{ pending: 0 }])
      await commitAll(store, change(issuedToken()))
      expect(await second()).to.deep.equal([{ pending: 0 }])
      expect((await treeThere()).note).to.contain('\n4\n')
    })
  })
