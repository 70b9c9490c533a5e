import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { MOST_SCANNED } from '../../application/log/read-feed.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { aRenewal, change, issuedToken } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { behind, feedReader, pageOf, positionsOf, write } from './feed-reader.ts'

/** Many entries in one commit. */
const writeMany = (store: Store, count: number): Promise<void> => {
  const [first, ...others] = Array.from({ length: count }, () => issuedToken())
  return first === undefined ? Promise.resolve() : commitAll(store, change(first, ...others))
}

onEveryStore('readFeed', (stores) => {
  it('returns entries after the cursor in the order of the log, at most so many', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered', 'UserSignedIn', 'UserSignedIn')
    const { read } = feedReader(store)
    const page = pageOf(await read({ limit: '2' }))
    expect(page.entries).to.deep.equal((await wholeLog(store)).slice(0, 2))
    expect([page.epoch, page.last]).to.deep.equal([await succeed(store.readEpoch()), 2])
    expect(positionsOf(await read({ after: behind(page) }))).to.deep.equal([3])
    expect(positionsOf(await read({ after: '1' }))).to.deep.equal([2, 3])
  })

  it('returns an empty page with the same cursor at the end, and in an empty log', async () => {
    const { store } = await stores.lasting()
    const { read } = feedReader(store)
    expect(pageOf(await read())).to.include({ last: 0 })
    await write(store, 'UserSignedIn')
    const end = behind(pageOf(await read()))
    const page = pageOf(await read({ after: end }))
    expect([page.entries, behind(page)]).to.deep.equal([[], end])
  })

  it('continues behind entries of other types', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered', 'UserSignedIn', 'UserRegistered')
    const { read } = feedReader(store)
    const page = pageOf(await read({ type: 'UserSignedIn' }))
    expect([page.entries.map(({ position }) => position), page.last]).to.deep.equal([[2], 3])
    expect(pageOf(await read({ type: 'UserSignedIn', after: behind(page) }))).to.deep.include({
      entries: [],
      last: 3,
    })
    expect(pageOf(await read({ type: 'UserSignedIn', limit: '1' })).last).to.equal(2)
    expect(pageOf(await read({ type: 'UserSignedOut' })).last).to.equal(3)
  })

  it('covers a bounded number of positions per answer, and does not wait before the end', async () => {
    const { store } = await stores.lasting()
    await writeMany(store, MOST_SCANNED + 1)
    await write(store, 'UserSignedIn')
    const { read } = feedReader(store)
    const first = pageOf(await read({ type: 'UserSignedIn', wait: '30' }))
    expect(first).to.deep.include({ entries: [], last: MOST_SCANNED, hasWaited: false })
    const rest = await read({ type: 'UserSignedIn', after: behind(first) })
    expect(positionsOf(rest)).to.deep.equal([MOST_SCANNED + 2])
  })

  it('refuses a cursor of an epoch that an operator ended, and tells the last shared position', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn', 'UserSignedIn')
    const { read } = feedReader(store)
    const before = behind(pageOf(await read()))
    const epoch = await succeed(store.renewEpoch(aRenewal))
    expect(await read({ after: before })).to.deep.equal(left({ _tag: 'OtherEpoch', epoch, shared: 2 }))
    expect(await read({ after: '00000000:1' })).to.deep.equal(
      left({ _tag: 'OtherEpoch', epoch, shared: undefined }),
    )
    const [former] = before.split(':')
    for (const type of [undefined, 'UserSignedIn'])
      expect(await read({ after: `${former}:50`, type })).to.deep.equal(
        left({ _tag: 'OtherEpoch', epoch, shared: 2 }),
      )
    expect(positionsOf(await read({ after: '1' }))).to.deep.equal([2, 3])
  })

  it('searches the log for renewals once in each epoch, because it may be long', async () => {
    const { store } = await stores.lasting()
    await succeed(store.renewEpoch(aRenewal))
    let searches = 0
    const { read } = feedReader({
      ...store,
      readEvents: (query) => {
        if (query.type === 'LogRenewed') searches += 1
        return store.readEvents(query)
      },
    })
    const refused = () => Promise.all([read({ after: '00000000:1' }), read({ after: '11111111:1' })])
    for (const outcome of [...(await refused()), ...(await refused())])
      expect(outcome).to.have.nested.property('left._tag', 'OtherEpoch')
    expect(searches).to.equal(1)
    await succeed(store.renewEpoch(aRenewal))
    await refused()
    expect(searches).to.equal(2)
  })

  it('refuses a cursor behind the end of the log, with and without a type', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn')
    const { read } = feedReader(store)
    const epoch = await succeed(store.readEpoch())
    for (const after of ['2', `${epoch}:2`, `${epoch}:50000`, '999999999999999'])
      for (const type of [undefined, 'UserSignedIn'])
        expect(await read({ after, type, wait: '9' }), `${after} ${type}`).to.deep.equal(
          left({ _tag: 'BeyondEnd' }),
        )
  })

  it('refuses a cursor before the pruned position, and begins there without a cursor', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn', 'UserSignedIn', 'UserSignedIn', 'UserSignedIn')
    await succeed((store as Store & LogTree).pruneLog({ through: 2, positions: [1, 2] }))
    const { read } = feedReader(store)
    expect(positionsOf(await read())).to.deep.equal([3, 4])
    expect(positionsOf(await read({ after: '2' }))).to.deep.equal([3, 4])
    for (const after of ['0', '1'])
      expect(await read({ after })).to.deep.equal(left({ _tag: 'EntriesPruned', through: 2 }))
  })

  for (const what of ['the first page', 'a later page'])
    it(`refuses ${what} if one of its entries is pruned between its reads`, async () => {
      const { store } = await stores.lasting()
      await write(store, 'UserSignedIn', 'UserSignedIn', 'UserSignedIn')
      let isDue = what === 'the first page'
      const readEvents: Store['readEvents'] = (query) => async () => {
        const found = await store.readEvents(query)()
        if (isDue) await succeed((store as Store & LogTree).pruneLog({ through: 2, positions: [2] }))
        return found
      }
      const { read } = feedReader({ ...store, readEvents })
      const after = isDue ? '1' : behind(pageOf(await read({ limit: '1' })))
      isDue = true
      expect(await read({ after })).to.deep.equal(left({ _tag: 'EntriesPruned', through: 2 }))
    })

  it('reads the epoch and the pruned position once for a page behind another', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn', 'UserSignedIn', 'UserSignedIn')
    const { readEpoch, readEvents, readTree } = store as Store & LogTree
    const reads: Array<string> = []
    const noted =
      <Words extends ReadonlyArray<never>, A>(name: string, method: (...words: Words) => A) =>
      (...words: Words): A => {
        reads.push(name)
        return method(...words)
      }
    const withoutTree = {
      readEpoch: noted('readEpoch', readEpoch),
      readEvents: noted('readEvents', readEvents),
    }
    const withTree = { ...store, ...withoutTree, readTree: noted('readTree', readTree) }
    for (const [front, state] of [
      [withTree, 'readTree'],
      [withoutTree, 'readEpoch'],
    ] as const) {
      const { read } = feedReader(front)
      const first = await read({ limit: '1' })
      expect(reads.splice(0), 'the first page').to.deep.equal([state, 'readEvents', state])
      await read({ after: behind(pageOf(first)) })
      expect(reads.splice(0), 'the next page').to.deep.equal(['readEvents', state])
    }
  })
})
