import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { readLog } from '../../application/log/read-log.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { EventQuery, LogEntry, Store } from '../../application/ports/store.ts'
import { onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { renewByStore } from '../support/renew-by-store.ts'
import { aRenewal } from '../testkit/builders.ts'
import { behind, feedReader, pageOf, positionsOf, write } from './feed-reader.ts'

onEveryStore('readFeed after a renewal by the store', (stores) => {
  /** A log of three entries, and its first epoch. */
  const threeEntries = async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered', 'UserSignedIn', 'UserSignedIn')
    return { store, former: await succeed(store.readEpoch()) }
  }
  const byOperator = (store: Store) => succeed(store.renewEpoch(aRenewal))

  it('continues in the new epoch at a cursor of the shared part', async () => {
    const { store, former } = await threeEntries()
    const epoch = await renewByStore(store)
    await write(store, 'UserSignedIn')
    const { read } = feedReader(store)
    for (const [position, type, rest] of [
      [0, undefined, [1, 2, 3, 4, 5]],
      [3, undefined, [4, 5]],
      [1, 'UserSignedIn', [2, 3, 5]],
      [3, 'UserRegistered', []],
    ] as const) {
      const page = await read({ after: `${former}:${position}`, type })
      expect(positionsOf(page), `${position} ${type}`).to.deep.equal(rest)
      expect(behind(pageOf(page))).to.equal(`${epoch}:5`)
    }
  })

  it('refuses a cursor behind an entry that was lost, with and without a type', async () => {
    const { store, former } = await threeEntries()
    const epoch = await renewByStore(store)
    await write(store, 'UserSignedIn')
    const { read } = feedReader(store)
    for (const position of [4, 5, 50])
      for (const type of [undefined, 'UserSignedIn'])
        expect(await read({ after: `${former}:${position}`, type }), `${position} ${type}`).to.deep.equal(
          left({ _tag: 'OtherEpoch', epoch, shared: 3 }),
        )
  })

  it('continues after several, and not after one by an operator among them', async () => {
    const { store, former } = await threeEntries()
    const { read } = feedReader(store)
    const second = await renewByStore(store)
    const third = await renewByStore(store)
    expect(positionsOf(await read({ after: `${former}:2` }))).to.deep.equal([3, 4, 5])
    expect(positionsOf(await read({ after: `${second}:4` }))).to.deep.equal([5])
    await byOperator(store)
    const epoch = await renewByStore(store)
    for (const [cursor, shared] of [
      [`${former}:2`, 2],
      [`${second}:4`, 4],
      [`${third}:5`, 5],
    ] as const)
      expect(await read({ after: cursor }), cursor).to.deep.equal(left({ _tag: 'OtherEpoch', epoch, shared }))
  })

  it('refuses a cursor of the shared part before the pruned position', async () => {
    const { store, former } = await threeEntries()
    await renewByStore(store)
    await succeed((store as Store & LogTree).pruneLog({ through: 2, positions: [2] }))
    const { read } = feedReader(store)
    expect(await read({ after: `${former}:1` })).to.deep.equal(left({ _tag: 'EntriesPruned', through: 2 }))
    expect(positionsOf(await read({ after: `${former}:2` }))).to.deep.equal([3, 4])
  })

  /** The store, with something that happens between the next read of entries and its answer, once it is armed. */
  const interrupted = (
    store: Store,
    interrupt: (found: ReadonlyArray<LogEntry>) => Promise<ReadonlyArray<LogEntry>>,
  ) => {
    let isDue = false
    const readEvents = (query: EventQuery) => async () => {
      const found = await store.readEvents(query)()
      if (!isDue || found._tag === 'Left') return found
      isDue = false
      return { ...found, right: await interrupt(found.right) }
    }
    const arm = () => {
      isDue = true
    }
    return { ...feedReader({ ...store, readEvents }), arm }
  }

  for (const [what, cursorOf, isKnown] of [
    ['with a cursor', (former: string) => `${former}:1`, false],
    ['with a cursor of an epoch that it knows', (former: string) => `${former}:1`, true],
    ['with a bare position', () => '1', false],
  ] as const)
    it(`reads a page again if the epoch changes meanwhile, ${what}`, async () => {
      const { store, former } = await threeEntries()
      let epoch = ''
      const { read, arm } = interrupted(store, async (found) => {
        epoch = await renewByStore(store)
        return found.map((entry) => ({ ...entry, id: 'lost' })) // of the server that fails
      })
      if (isKnown) await read()
      arm()
      const page = await read({ after: cursorOf(former) })
      expect(positionsOf(page)).to.deep.equal([2, 3, 4])
      expect(pageOf(page).entries.map(({ id }) => id)).not.to.include('lost')
      expect(pageOf(page).epoch).to.equal(epoch)
    })

  it('refuses a cursor if an operator renews the log meanwhile', async () => {
    const { store, former } = await threeEntries()
    let epoch = ''
    const { read, arm } = interrupted(store, async (found) => {
      epoch = await byOperator(store)
      return found
    })
    arm()
    expect(await read({ after: `${former}:1` })).to.deep.equal(left({ _tag: 'OtherEpoch', epoch, shared: 1 }))
  })

  it('neither refuses a cursor nor keeps the renewals, if it searched on a server without the newest', async () => {
    const { store, former } = await threeEntries()
    const epoch = await renewByStore(store)
    let epochsRead = 0
    let searches = 0
    const { read } = feedReader({
      readEpoch: () => async () => {
        epochsRead += 1
        return epochsRead === 2 || epochsRead === 3 ? TE.right(former)() : store.readEpoch()()
      },
      readEvents: (query) => async () => {
        if (query.type === 'LogRenewed') searches += 1
        return searches === 1 ? TE.right([])() : store.readEvents(query)()
      },
    })
    expect(await read({ after: `${former}:3` })).to.have.nested.property('left._tag', 'StoreUnavailable')
    const page = pageOf(await read({ after: `${former}:3` }))
    expect([page.epoch, page.last]).to.deep.equal([epoch, 4])
  })

  it('continues while it waits', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered')
    const { read, orWaits, passSeconds } = feedReader(store)
    const answer = read({ after: behind(pageOf(await read())), type: 'UserSignedIn', wait: '30' })
    await orWaits(answer)
    const epoch = await renewByStore(store)
    const again = orWaits(answer)
    await passSeconds(1)
    expect(await again).to.equal(undefined)
    await write(store, 'UserSignedIn')
    await passSeconds(1)
    expect([pageOf(await answer).epoch, positionsOf(await answer)]).to.deep.equal([epoch, [3]])
  })

  it('gives up for now if the epoch changes during each attempt', async () => {
    const { store, former } = await threeEntries()
    let renewals = 0
    const { read } = feedReader({
      ...store,
      readEvents: (query) => async () => {
        if (query.type === undefined) {
          renewals += 1
          await renewByStore(store)
        }
        return store.readEvents(query)()
      },
    })
    expect(await read({ after: `${former}:1` })).to.have.nested.property('left._tag', 'StoreUnavailable')
    expect(renewals).to.be.below(100)
  })
})

onEveryStore('readLog over several epochs', (stores) => {
  /** Reads the log from a cursor. After the first page, `interrupt` happens. */
  const listed = async (store: Store, after: string, interrupt: () => Promise<unknown> = async () => {}) => {
    const [epoch, position] = after.split(':')
    const told: Array<unknown> = []
    for await (const page of readLog(store, { after: { epoch, position: Number(position) } })) {
      if (page._tag === 'Left') told.push(page.left)
      else told.push([page.right.epoch, page.right.entries.length, page.right.last])
      if (told.length === 1) await interrupt()
    }
    return told
  }
  const MANY = Array.from({ length: 1_500 }, () => 'UserSignedIn' as const)

  it('continues at a cursor of the shared part, and refuses one behind a lost entry', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn', 'UserSignedIn')
    const former = await succeed(store.readEpoch())
    const epoch = await renewByStore(store)
    expect(await listed(store, `${former}:2`)).to.deep.equal([[epoch, 1, 3]])
    expect(await listed(store, `${former}:3`)).to.deep.equal([{ _tag: 'OtherEpoch', epoch, shared: 2 }])
  })

  it('continues if the store begins an epoch between two pages, and stops if an operator does', async () => {
    const { store } = await stores.lasting()
    await write(store, ...MANY)
    const first = await succeed(store.readEpoch())
    let epoch = ''
    const byStore = async () => {
      epoch = await renewByStore(store)
    }
    expect(await listed(store, `${first}:0`, byStore)).to.deep.equal([
      [first, 1_000, 1_000],
      [epoch, 501, 1_501],
    ])
    const second = epoch
    const byOperator = async () => {
      epoch = await succeed(store.renewEpoch(aRenewal))
    }
    expect(await listed(store, `${second}:0`, byOperator)).to.deep.equal([
      [second, 1_000, 1_000],
      { _tag: 'OtherEpoch', epoch, shared: 1_000 },
    ])
  })
})
