import { expect } from 'chai'
import { map, right } from 'fp-ts/lib/Either.js'
import { nodeTreeDigests } from '../../adapters/node/environment.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { unavailable } from '../../adapters/stores/records/unavailable.ts'
import { copyStore } from '../../application/copying/copy-store.ts'
import type { CopySide } from '../../application/copying/sides.ts'
import type { CopyPage, StoreCopy } from '../../application/ports/store-copy.ts'
import { ok, refused } from '../testkit/outcome.ts'
import { everything, fill, pagesOf } from '../testkit/store-copy/copies.ts'

const copy = copyStore({ treeDigests: nodeTreeDigests, newId: () => 'the copy' })

type Storage = ReturnType<typeof memoryStorage>

const sideOf = ({ store, storeCopy }: Storage, place: string, front: Partial<StoreCopy> = {}): CopySide => ({
  store,
  storeCopy: { ...storeCopy, ...front },
  place,
})

/** A source that has moved, and its incomplete target, which has these of the pages. */
const betweenMarks = async (hasKept: (page: CopyPage) => CopyPage | undefined) => {
  const [source, target] = [memoryStorage(), memoryStorage()]
  await fill(source)
  const pages = await pagesOf(source)
  await ok(
    target.storeCopy.begin({ id: 'the copy', place: 'here' }, await ok(source.storeCopy.readContents())),
  )
  for (const page of pages) {
    const kept = hasKept(page)
    if (kept !== undefined) await ok(target.storeCopy.write('the copy', kept))
  }
  await ok(source.storeCopy.lock({ id: 'the copy', place: 'there' }, async () => right(undefined)))
  return { source, target }
}

const marksOf = async ({ source, target }: Readonly<{ source: Storage; target: Storage }>) => [
  (await ok(source.storeCopy.readCopyState())).state,
  (await ok(target.storeCopy.readCopyState())).state,
]

describe('a copy whose target loses pages', () => {
  for (const [what, hasKept, expected] of [
    [
      'rows',
      (page: CopyPage) => (page.part === 'users' ? undefined : page),
      'both differ in the number of users',
    ],
    [
      'the last entries',
      (page: CopyPage) => (page.part === 'log' ? { ...page, entries: page.entries.slice(0, -1) } : page),
      'both differ in the last position of the log',
    ],
    [
      'the bytes of an entry',
      (page: CopyPage) =>
        page.part === 'log'
          ? { ...page, entries: page.entries.map((entry) => ({ ...entry, data: `${entry.data} ` })) }
          : page,
      'the root hashes of the logs differ',
    ],
  ] as const)
    it(`is not finished without ${what}: both stores stay closed`, async () => {
      const stores = await betweenMarks(hasKept)
      const sides = { source: sideOf(stores.source, 'here'), target: sideOf(stores.target, 'there') }
      await refused(copy(sides), { _tag: 'TargetLost', what: expected })
      expect(await marksOf(stores)).to.deep.equal(['moved', 'incomplete'])
    })

  it('is finished if the source has other failure counts by now', async () => {
    const stores = await betweenMarks((page) => page)
    const { storeCopy } = stores.source
    const readContents: StoreCopy['readContents'] = () => async () =>
      map((found: Parameters<StoreCopy['begin']>[1]) => ({ ...found, items: { ...found.items, counts: 7 } }))(
        await storeCopy.readContents()(),
      )
    const source = sideOf(stores.source, 'here', { readContents })
    await ok(copy({ source, target: sideOf(stores.target, 'there') }))
    expect(await marksOf(stores)).to.deep.equal(['moved', 'open'])
  })

  it('is not finished while the source cannot be read', async () => {
    const stores = await betweenMarks((page) => page)
    const source = sideOf(stores.source, 'here', { readContents: () => async () => unavailable('EIO') })
    await refused(copy({ source, target: sideOf(stores.target, 'there') }), {
      _tag: 'NotCompleted',
      reason: 'the source is unavailable: EIO',
    })
    expect(await marksOf(stores)).to.deep.equal(['moved', 'incomplete'])
  })

  it('leaves the source open if its pages cannot be made durable', async () => {
    const [source, target] = [memoryStorage(), memoryStorage()]
    await fill(source)
    const before = await everything(source)
    const there = sideOf(target, 'there', { settle: () => async () => unavailable('no standby') })
    await refused(copy({ source: sideOf(source, 'here'), target: there }), {
      _tag: 'SideUnavailable',
      side: 'target',
      reason: 'no standby',
      isUnsure: false,
    })
    expect(await marksOf({ source, target })).to.deep.equal(['open', 'incomplete'])
    expect(await everything(source)).to.deep.equal(before)
  })
})
