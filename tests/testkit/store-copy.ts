import assert from 'node:assert/strict'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import type { Store } from '../../application/ports/store.ts'
import { COPY_PAGE } from '../../application/ports/store-copy.ts'
import { change, registered, someChange } from './builders.ts'
import { casesOn, casesOnLasting } from './frames.ts'
import { aMail } from './outbox/steps.ts'
import { commitAll, ok, refused, unavailable, wholeLog } from './outcome.ts'
import { ifDeclared, type Runner } from './runner.ts'
import { closedStoreCases } from './store-copy/closed.ts'
import {
  COPY,
  type Copyable,
  copied,
  everything,
  fill,
  type OpenedStoreCopy,
  pagesOf,
} from './store-copy/copies.ts'
import { lastingCopyCases } from './store-copy/lasting.ts'
import { targetCases } from './store-copy/target.ts'

export type { OpenedStoreCopy } from './store-copy/copies.ts'
/** Opens a new, empty storage. The suite calls `close` after it has closed the store. */
export type OpenStoreCopy = () => Promise<OpenedStoreCopy>

/** Opens a new, empty storage that survives closing. `reopen` opens the closed storage again. */
export type OpenLastingStoreCopy = () => Promise<
  OpenedStoreCopy & Readonly<{ reopen: () => Promise<Copyable> }>
>

export type StoreCopyCapabilities = Readonly<{ lasting?: OpenLastingStoreCopy }>

/** The contract suite of `StoreCopy`. A store that implements `LogTree` has its tree copied, too. */
export const storeCopyContract = (
  runner: Runner,
  open: OpenStoreCopy,
  { lasting }: StoreCopyCapabilities = {},
): void => {
  const check = casesOn<OpenedStoreCopy>(
    runner,
    async () => {
      const adapter = await open()
      return adapter.close === undefined ? { adapter } : { adapter, close: adapter.close }
    },
    ({ store }) => store.close(),
  )

  /** A case of two storages. */
  const checkBoth = (
    name: string,
    body: (source: OpenedStoreCopy, target: OpenedStoreCopy) => Promise<void>,
  ): void =>
    check(name, async (source) => {
      const target = await open()
      try {
        await body(source, target)
      } finally {
        await target.store.close()
        await target.close?.()
      }
    })

  check('a new store is open and contains nothing', async ({ store, storeCopy }) => {
    assert.deepEqual(await ok(storeCopy.readCopyState()), { state: 'open', copyId: undefined })
    const { epoch, last, items } = await ok(storeCopy.readContents())
    assert.equal(epoch, await ok(store.readEpoch()))
    assert.equal(last, 0)
    assert.deepEqual(new Set(Object.values(items)), new Set([0]))
  })

  check('the contents are counted', async (opened) => {
    await fill(opened)
    const { last, items } = await ok(opened.storeCopy.readContents())
    const entries = await wholeLog(opened.store)
    assert.equal(last, entries.at(-1)?.position)
    assert.equal(items.log, entries.length)
    for (const table of [
      'users',
      'sessions',
      'applications',
      'keys',
      'revoked_tokens',
      'one_time_tokens',
      'factors',
    ] as const)
      assert.equal(
        items[table],
        (await ok(opened.store.listRows({ table, after: '', limit: 100 }))).length,
        table,
      )
  })

  checkBoth('a copy contains everything, in the same epoch', async (source, target) => {
    await fill(source)
    const before = await everything(source)
    await copied(source, target)
    for (const opened of [target, source]) assert.deepEqual(await everything(opened), before)
    assert.deepEqual(await ok(target.storeCopy.readCopyState()), { state: 'open', copyId: COPY.id })
  })

  checkBoth('a copy takes entries behind a gap, and counts', async (source, target) => {
    await fill(source)
    const contents = { ...(await ok(source.storeCopy.readContents())), last: 9 }
    const pages = await pagesOf(source)
    const entry = pages.flatMap((page) => (page.part === 'log' ? page.entries : [])).at(-1)
    assert.ok(entry)
    const entries = [
      { ...entry, position: 3 },
      { ...entry, id: `${entry.id} again`, position: 9 },
    ]
    const count = { key: 'c0'.repeat(32), kind: 'account', count: 3, refusedUntil: 0, forgottenFrom: 4e12 }
    await ok(target.storeCopy.begin(COPY, contents))
    await ok(target.storeCopy.write(COPY.id, { part: 'log', entries }))
    await ok(target.storeCopy.write(COPY.id, { part: 'counts', counts: [count] }))
    await ok(target.storeCopy.complete(COPY.id))
    assert.deepEqual(
      (await wholeLog(target.store)).map(({ position }) => position),
      [3, 9],
    )
    assert.deepEqual((await pagesOf(target)).at(-1), { part: 'counts', counts: [count] })
    assert.equal((await ok(target.storeCopy.readContents())).items.counts, 1)
    await commitAll(target.store, change(registered()))
    assert.equal((await wholeLog(target.store)).at(-1)?.position, 10)
  })

  checkBoth('a copy takes mails', async (source, target) => {
    const contents = await ok(source.storeCopy.readContents())
    const mails = [aMail({ facts: { factor: 'totp' } }), aMail({ state: 'failed', code: some('550') })]
    await ok(target.storeCopy.begin(COPY, contents))
    await ok(target.storeCopy.write(COPY.id, { part: 'mails', rows: mails }))
    await ok(target.storeCopy.complete(COPY.id))
    assert.deepEqual((await pagesOf(target)).at(-1), { part: 'mails', rows: mails })
    assert.equal((await ok(target.storeCopy.readContents())).items.mails, 2)
  })

  checkBoth('the log goes on behind its last entry, in the same epoch', async (source, target) => {
    await fill(source)
    const last = (await wholeLog(source.store)).at(-1)?.position ?? 0
    const epoch = await ok(source.store.readEpoch())
    await copied(source, target)
    await commitAll(target.store, change(registered()))
    assert.equal((await wholeLog(target.store)).at(-1)?.position, last + 1)
    assert.equal(await ok(target.store.readEpoch()), epoch)
  })

  checkBoth('a copy of a restored copy renews its epoch with the next write', async (source, target) => {
    await fill(source)
    const contents = { ...(await ok(source.storeCopy.readContents())), isCopy: true }
    await ok(target.storeCopy.begin(COPY, contents))
    for (const page of await pagesOf(source)) await ok(target.storeCopy.write(COPY.id, page))
    await ok(target.storeCopy.complete(COPY.id))
    assert.equal((await ok(target.storeCopy.readContents())).isCopy, true)
    await commitAll(target.store, change(registered()))
    assert.notEqual(await ok(target.store.readEpoch()), contents.epoch)
    assert.equal((await wholeLog(target.store)).at(-2)?.type, 'LogRenewed')
    assert.deepEqual(await ok(target.storeCopy.readCopyState()), { state: 'open', copyId: COPY.id })
  })

  check('no change is written while the store is locked', async ({ store, storeCopy }) => {
    await commitAll(store, someChange())
    const entries = (await wholeLog(store)).length
    let waiting: ReturnType<ReturnType<Store['commit']>> | undefined
    await ok(
      storeCopy.lock(COPY, async () => {
        waiting = store.commit(someChange())()
        assert.equal((await wholeLog(store)).length, entries)
        return right(undefined)
      }),
    )
    assert.ok(waiting)
    assert.ok(isLeft(await waiting))
    assert.equal((await wholeLog(store)).length, entries)
  })

  check('a failed copy changes nothing in the source', async ({ store, storeCopy }) => {
    await commitAll(store, someChange())
    const failure = { _tag: 'Failed' } as const
    await refused(
      storeCopy.lock(COPY, async () => left(failure)),
      failure,
    )
    assert.deepEqual(await ok(storeCopy.readCopyState()), { state: 'open', copyId: undefined })
    await commitAll(store, someChange())
    await ok(store.checkWritable())
  })

  check('pages are as of the lock, and have a bounded size', async ({ store, storeCopy }) => {
    const users = COPY_PAGE + 1
    for (let made = 0; made < users; made += 100)
      await commitAll(
        store,
        change(registered(), ...Array.from({ length: Math.min(99, users - made - 1) }, () => registered())),
      )
    const sizes: Array<number> = []
    await ok(
      storeCopy.lock(COPY, async ({ pages }) => {
        for await (const page of pages()) {
          if (isLeft(page)) return page
          if (page.right.part === 'users') sizes.push(page.right.rows.length)
          if (page.right.part === 'log') assert.ok(page.right.entries.length <= COPY_PAGE)
        }
        return right(undefined)
      }),
    )
    assert.deepEqual(sizes, [COPY_PAGE, 1])
  })

  check('a moved store names its copy, and is not locked again', async ({ store, storeCopy }) => {
    await commitAll(store, someChange())
    await ok(storeCopy.lock(COPY, async () => right(undefined)))
    const copyState = { state: 'moved', copyId: COPY.id, place: COPY.place } as const
    assert.deepEqual(await ok(storeCopy.readCopyState()), copyState)
    let isCalled = false
    await refused(
      storeCopy.lock<never, void>({ id: 'another', place: 'elsewhere' }, async () => {
        isCalled = true
        return right(undefined)
      }),
      { _tag: 'NotOpen', copyState },
    )
    assert.equal(isCalled, false)
  })

  closedStoreCases(check)

  checkBoth('a store with contents is no target', async (source, target) => {
    await commitAll(target.store, someChange())
    const contents = await ok(source.storeCopy.readContents())
    await refused(target.storeCopy.begin(COPY, contents), {
      _tag: 'NotEmpty',
      copyState: { state: 'open', copyId: undefined },
    })
    await commitAll(target.store, someChange())
  })

  checkBoth('an unfinished copy begins again from nothing', async (source, target) => {
    await fill(source)
    await fill(target)
    const contents = await ok(source.storeCopy.readContents())
    const others = await pagesOf(target)
    const empty = await open()
    try {
      await ok(empty.storeCopy.begin({ ...COPY, id: 'first' }, contents))
      for (const page of others) await ok(empty.storeCopy.write('first', page))
      await ok(empty.storeCopy.begin(COPY, contents))
      assert.equal((await ok(empty.storeCopy.readContents())).items.users, 0)
      for (const page of await pagesOf(source)) await ok(empty.storeCopy.write(COPY.id, page))
      await ok(empty.storeCopy.complete(COPY.id))
      assert.deepEqual(await everything(empty), await everything(source))
    } finally {
      await empty.store.close()
      await empty.close?.()
    }
  })

  targetCases(check)

  check('a closed store cannot be copied', async ({ store, storeCopy }) => {
    const contents = await ok(storeCopy.readContents())
    await store.close()
    await unavailable(storeCopy.readCopyState())
    await unavailable(storeCopy.readContents())
    await unavailable(storeCopy.lock(COPY, async () => right(undefined)))
    await unavailable(storeCopy.begin(COPY, contents))
    await unavailable(storeCopy.write(COPY.id, { part: 'users', rows: [] }))
    await unavailable(storeCopy.settle(COPY.id))
    await unavailable(storeCopy.complete(COPY.id))
  })

  ifDeclared(runner, 'lasting', lasting, (opening) =>
    runner.describe('closed and opened again', () =>
      lastingCopyCases(
        casesOnLasting<Copyable & Readonly<{ close: () => Promise<void> }>>(runner, async () => {
          const { close, reopen, ...opened } = await opening()
          const closable = (one: Copyable) => ({ ...one, close: () => one.store.close() })
          const given = { adapter: closable(opened), reopen: async () => closable(await reopen()) }
          return close === undefined ? given : { ...given, close }
        }),
      ),
    ),
  )
}
