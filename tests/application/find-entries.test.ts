import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { findEntries, type Search } from '../../application/log/find-entries.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { ReadModel } from '../../application/ports/read-model.ts'
import type { Store } from '../../application/ports/store.ts'
import { onFile } from '../sqlite/folder.ts'
import { aLastingEntry, append, aRefusal, modelIn } from '../support/modelled-log.ts'
import { succeed } from '../support/outcome.ts'
import { renewByStore } from '../support/renew-by-store.ts'

type Scene = Readonly<{ store: Store; model: ReadModel }>

/** A log of 2,600 entries: every second one is about Ada. */
const onLog = (test: (scene: Scene) => Promise<void>) =>
  onFile(async (path) => {
    const [store, model] = [memoryStore(), modelIn(path)]
    const pair = () => [aRefusal('unknown_email'), aRefusal('wrong_password', { user: 'ada' })]
    await append(store, ...Array.from({ length: 1_300 }, pair).flat())
    try {
      await test({ store, model })
    } finally {
      await model.close()
    }
  })

const OF_ADA: Search = { filter: { user: 'ada' }, after: { epoch: undefined, position: 0 } }

/** The positions that are found, where to continue, and the failure at the end. */
const search = async (scene: Scene, asked: Partial<Search> = {}) => {
  const positions: Array<number> = []
  let last: number | undefined
  let failure: string | undefined
  for await (const page of findEntries(scene, { ...OF_ADA, ...asked })) {
    if (isRight(page)) {
      positions.push(...page.right.entries.map(({ position }) => position))
      last = page.right.last
    } else failure = page.left._tag
  }
  return { positions, last, failure }
}

const EVEN = Array.from({ length: 1_300 }, (_, index) => 2 * (index + 1))

/** The same model, which does something once, before its second search. */
const meanwhile = (model: ReadModel, act: () => Promise<unknown>): ReadModel => {
  let searches = 0
  return {
    ...model,
    find: (query) => async () => {
      searches += 1
      if (searches === 2) await act()
      return model.find(query)()
    },
  }
}

describe('findEntries', () => {
  it(
    'finds all entries in order, and continues at the end of the log',
    onLog(async (scene) => {
      await append(scene.store, aLastingEntry({ user: 'bob' }))
      const all = { positions: EVEN, last: 2_601, failure: undefined }
      expect(await search(scene)).to.deep.equal(all)
      expect(await search(scene, { limit: EVEN.length + 1 })).to.deep.equal(all)
      const reversed = await search(scene, { isReverse: true })
      expect(reversed.positions).to.deep.equal([...EVEN].reverse())
    }),
  )

  it(
    'finds at most so many entries, and continues behind the last of them',
    onLog(async (scene) => {
      expect(await search(scene, { limit: 3 })).to.deep.equal({
        positions: [2, 4, 6],
        last: 6,
        failure: undefined,
      })
      const epoch = await succeed(scene.store.readEpoch())
      const next = await search(scene, { limit: 1_200, after: { epoch, position: 6 } })
      expect(next).to.deep.equal({ positions: EVEN.slice(3, 1_203), last: 2_406, failure: undefined })
      expect((await search(scene, { limit: 2, isReverse: true })).positions).to.deep.equal([2_600, 2_598])
    }),
  )

  it(
    'finds older pages of a reversed search complete and disjoint while entries are appended',
    onLog(async (scene) => {
      const found: Array<number> = []
      for (let below: number | undefined; ; below = found.at(-1)) {
        const { positions } = await search(scene, { isReverse: true, limit: 500, below })
        if (positions.length === 0) break
        found.push(...positions)
        await append(scene.store, aRefusal('wrong_password', { user: 'ada' }))
      }
      expect(found).to.deep.equal([...EVEN].reverse())
    }),
  )

  it(
    'finds older pages of a former epoch only where the log still has its entries',
    onLog(async (scene) => {
      const epoch = await succeed(scene.store.readEpoch())
      await renewByStore(scene.store)
      await append(scene.store, aRefusal('wrong_password', { user: 'ada' }))
      const older = (below: number) =>
        search(scene, { isReverse: true, below, after: { epoch, position: 0 } })
      expect((await older(2_601)).positions).to.deep.equal([...EVEN].reverse())
      expect((await older(2_603)).failure).to.equal('OtherEpoch')
    }),
  )

  it(
    'leaves out entries that are pruned meanwhile',
    onLog(async ({ store, model }) => {
      const pruning = meanwhile(model, () => {
        const tree = treeOf(store)
        return tree === undefined
          ? Promise.reject()
          : succeed(tree.pruneLog({ through: 2_500, positions: [2_400, 2_402] }))
      })
      const { positions } = await search({ store, model: pruning })
      expect(positions).to.deep.equal(EVEN.filter((position) => position !== 2_400 && position !== 2_402))
    }),
  )

  it(
    'shows nothing that does not meet the filter in the log',
    onLog(async ({ store, model }) => {
      const wrong: ReadModel = {
        ...model,
        find: (query) => async () => {
          const found = await model.find(query)()
          return isRight(found)
            ? { ...found, right: { ...found.right, positions: [1, 2, 3, 4, 9_999] } }
            : found
        },
      }
      expect((await search({ store, model: wrong })).positions).to.deep.equal([2, 4])
    }),
  )

  it(
    'goes on where it was if the model begins anew, or the epoch changes',
    onLog(async ({ store, model }) => {
      const emptied = meanwhile(model, async () => model.begin('00000000', await succeed(model.state()))())
      expect((await search({ store, model: emptied })).positions).to.deep.equal(EVEN)
      const renewed = meanwhile(model, () => renewByStore(store))
      expect(await search({ store, model: renewed })).to.deep.equal({
        positions: EVEN,
        last: 2_601,
        failure: undefined,
      })
      const reversed = meanwhile(model, () => renewByStore(store))
      expect((await search({ store, model: reversed }, { isReverse: true })).failure).to.equal(
        'StoreUnavailable',
      )
    }),
  )

  it(
    'fails for a cursor behind the end of the log, or of an unknown epoch',
    onLog(async (scene) => {
      const epoch = await succeed(scene.store.readEpoch())
      expect((await search(scene, { after: { epoch, position: 2_601 } })).failure).to.equal('BeyondEnd')
      expect((await search(scene, { after: { epoch: '00000000', position: 1 } })).failure).to.equal(
        'OtherEpoch',
      )
    }),
  )
})
