import { expect } from 'chai'
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { unavailable } from '../../adapters/stores/records/unavailable.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { RowOf, Store, StoreUnavailable } from '../../application/ports/store.ts'
import type {
  Copy,
  CopyPage,
  CopyState,
  LockedSource,
  NotOpen,
  StoreCopy,
} from '../../application/ports/store-copy.ts'
import { STORES } from '../support/stores.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { aMail, claim, FAILED, held, listed, NOW, put } from '../testkit/outbox/steps.ts'
import { anEntry, find, found, put as putEntries } from '../testkit/protocol-state/steps.ts'
import { COPY, copied } from '../testkit/store-copy/copies.ts'
import { storeCopyContract } from '../testkit/store-copy.ts'
import { caughtBy, proveContract } from './broken/harness.ts'
import { type Mutate, mutationsOf } from './broken/mutations.ts'

for (const { name, isShared, layOut, openCopyable } of STORES) {
  const open = async () => {
    const { url, remove } = await layOut()
    return { ...(await openCopyable(url)), reopen: () => openCopyable(url), close: remove }
  }
  describe(`the contract of StoreCopy, kept by ${name}`, () =>
    storeCopyContract({ describe, it }, open, isShared ? { lasting: open } : {}))

  describe(`what is beside the log of a copied store, kept by ${name}`, () => {
    const onBoth = async (body: (source: Opened, target: Opened) => Promise<void>): Promise<void> => {
      const [source, target] = [await open(), await open()]
      try {
        await body(source, target)
      } finally {
        for (const { store, close } of [source, target]) {
          await store.close()
          await close()
        }
      }
    }
    type Opened = Awaited<ReturnType<typeof open>>

    it('has the mails without the claims of the source', () =>
      onBoth(async (source, target) => {
        const { mail } = await held(source.outbox)
        await copied(source, target)
        expect(await listed(target.outbox)).to.deep.equal([{ ...mail, claim: none }])
        expect(await claim(target.outbox)).to.have.lengthOf(1)
      }))

    it('gives no mail to a sender of the source any more', () =>
      onBoth(async (source, target) => {
        const { mail: _, ...one } = await held(source.outbox)
        await put(source.outbox, aMail())
        await copied(source, target)
        const { outbox } = source
        const before = await listed(outbox)
        const times = { dueAtSeconds: NOW, expiresAtSeconds: NOW }
        for (const written of [
          outbox.put({ mail: aMail(), unseenAtMost: 9 }),
          outbox.claim({ claim: 'next', nowSeconds: NOW, leaseSeconds: 9, limit: 9 }),
          outbox.postpone({ ...one, dueAtSeconds: NOW, code: '421', givesBack: true }),
          outbox.settle(one),
          outbox.settle({ ...one, failed: FAILED }),
          outbox.retry([{ id: one.id, ...times }]),
          outbox.drop([one.id]),
          outbox.deleteFailed({ beforeSeconds: NOW, limit: 9 }),
          source.store.commit({ ...change(issuedToken()), settled: [one] }),
        ] satisfies ReadonlyArray<TaskEither<Readonly<{ _tag: string }>, unknown>>)
          expect(await written()).to.have.nested.property('left._tag', 'StoreUnavailable')
        expect(await listed(outbox)).to.deep.equal(before)
      }))

    it('has no protocol state, so people sign in again', () =>
      onBoth(async (source, target) => {
        await putEntries(source.protocolState, anEntry())
        await copied(source, target)
        expect(await find(target.protocolState, anEntry())).to.deep.equal(none)
      }))

    if (isShared)
      it('writes no protocol state in the source any more', () =>
        onBoth(async (source, target) => {
          const state = source.protocolState
          const entries = [anEntry(), anEntry({ id: 'expired', expiresAtSeconds: 1 })]
          await putEntries(state, ...entries)
          await copied(source, target)
          for (const written of [
            state.put(anEntry({ content: 'later' })),
            state.put(anEntry({ id: 'new' })),
            state.consume('refresh_token', anEntry().id, 1),
            state.remove('refresh_token', anEntry().id),
            state.removeOfSession('session'),
            state.deleteExpired(2, 9),
          ] satisfies ReadonlyArray<TaskEither<StoreUnavailable, unknown>>)
            expect(await written()).to.have.nested.property('left._tag', 'StoreUnavailable')
          for (const entry of entries) expect(await find(state, entry)).to.deep.equal(found(entry))
        }))
  })
}

type WithTree = Store & LogTree

/** A defect of a storage. One that is opened again may have another. */
type Defect = Readonly<{ store?: Mutate<WithTree>; storeCopy?: Mutate<StoreCopy>; again?: Defect }>

const broken = (
  { store, storeCopy, outbox }: ReturnType<typeof memoryStorage>,
  defect: Defect,
): ReturnType<typeof memoryStorage> => ({
  store: { ...store, ...defect.store?.(store) },
  storeCopy: { ...storeCopy, ...defect.storeCopy?.(storeCopy) },
  outbox,
})

const { answer, hear } = mutationsOf<StoreCopy>()
const ofCopy = (storeCopy: Mutate<StoreCopy>): Defect => ({ storeCopy })
const ofStore = (store: Mutate<WithTree>): Defect => ({ store })
const ofAgain = (again: Defect): Defect => ({ again })

const writing = (alter: (page: CopyPage) => CopyPage): Defect =>
  ofCopy(hear('write', (id, page) => [id, alter(page)]))

const without = (part: CopyPage['part']): Defect =>
  ofCopy((good) => ({
    write: (id, page) => (page.part === part ? async () => right(undefined) : good.write(id, page)),
  }))

/** Runs the work before the lock, or after it. */
const unlocked: Mutate<StoreCopy> = (good) => ({
  lock:
    <Failure, A>(copy: Copy, work: Work<Failure, A>): TaskEither<Failure | NotOpen | StoreUnavailable, A> =>
    async () => {
      const contents = await good.readContents()()
      if (isLeft(contents)) return contents
      const done = await work({ contents: contents.right, pages: async function* () {} })
      return isLeft(done) ? done : good.lock<never, A>(copy, async () => done)()
    },
})

type Work<Failure, A> = (source: LockedSource) => Promise<Either<Failure, A>>

const markedAnyway: Mutate<StoreCopy> = (good) => ({
  lock: (copy, work) => async () => {
    let failed: Awaited<ReturnType<typeof work>> | undefined
    const locked = await good.lock(copy, async (source) => {
      const done = await work(source)
      if (isLeft(done)) failed = done
      return isLeft(done) ? right(undefined as never) : done
    })()
    return failed ?? locked
  },
})

const inOnePage: Mutate<StoreCopy> = (good) => ({
  lock: (copy, work) =>
    good.lock(copy, (source) =>
      work({
        ...source,
        pages: async function* () {
          const users: Array<RowOf<'users'>> = []
          for await (const page of source.pages())
            if (!isLeft(page) && page.right.part === 'users') users.push(...page.right.rows)
            else yield page
          yield right({ part: 'users', rows: users })
        },
      }),
    ),
})

const NEVER_REFUSES: Mutate<WithTree> = () => ({
  commit: () => async () => right(undefined),
  deleteExpired: () => async () => right(0),
  eraseEndedLabels: () => async () => right(false),
  checkWritable: () => async () => right(undefined),
  extendTree: () => async () => right(true),
  pruneLog: () => async () => right(0),
})

describe('the contract of StoreCopy is a contract', () =>
  proveContract<Defect>(
    (runner, defect = {}) =>
      storeCopyContract(runner, async () => broken(memoryStorage(), defect), {
        lasting: async () => {
          const storage = memoryStorage()
          const lasting = { ...storage, store: { ...storage.store, close: async () => undefined } }
          return { ...broken(lasting, defect), reopen: async () => broken(lasting, defect.again ?? defect) }
        },
      }),
    [
      ...caughtBy('a new store is open and contains nothing', {
        'tells another epoch': ofCopy(answer('readContents', (found) => ({ ...found, epoch: '00000000' }))),
      }),
      ...caughtBy('the contents are counted', {
        'forgets the last position': ofCopy(answer('readContents', (found) => ({ ...found, last: 0 }))),
      }),
      ...caughtBy('a copy contains everything, in the same epoch', {
        'leaves out tiles': without('tiles'),
        'leaves out the cookies of sessions': writing((page) =>
          page.part === 'sessions'
            ? { ...page, rows: page.rows.map((row) => ({ ...row, cookie: none })) }
            : page,
        ),
      }),
      ...caughtBy('a copy takes entries behind a gap, and counts', {
        'closes the gap': writing((page) =>
          page.part === 'log'
            ? { ...page, entries: page.entries.map((entry, index) => ({ ...entry, position: index + 1 })) }
            : page,
        ),
      }),
      ...caughtBy('a copy takes mails', { 'leaves out mails': without('mails') }),
      ...caughtBy('the log goes on behind its last entry, in the same epoch', {
        'renews each copy': ofCopy(hear('begin', (copy, contents) => [copy, { ...contents, isCopy: true }])),
      }),
      ...caughtBy('a copy of a restored copy renews its epoch with the next write', {
        'forgets that it must': ofCopy(
          hear('begin', (copy, contents) => [copy, { ...contents, isCopy: false }]),
        ),
      }),
      ...caughtBy('no change is written while the store is locked', { 'does not lock': ofCopy(unlocked) }),
      ...caughtBy('a failed copy changes nothing in the source', { 'marks it anyway': ofCopy(markedAnyway) }),
      ...caughtBy('pages are as of the lock, and have a bounded size', {
        'yields a table as one page': ofCopy(inOnePage),
      }),
      ...caughtBy('a moved store names its copy, and is not locked again', {
        'forgets the place': ofCopy(
          answer('readCopyState', (copyState) =>
            copyState.state === 'open' ? copyState : { ...copyState, place: '' },
          ),
        ),
      }),
      ...caughtBy(/^(a moved|an incomplete) store refuses /, { 'goes on to write': ofStore(NEVER_REFUSES) }),
      ...caughtBy(/^(a moved|an incomplete) store is read$/, {
        'refuses reads': ofStore(() => ({ readEvents: () => async () => unavailable('moved') })),
      }),
      ...caughtBy('a renewal opens a moved store under another epoch', {
        'refuses to renew': ofStore(() => ({ renewEpoch: () => async () => unavailable('moved') })),
      }),
      ...caughtBy('an incomplete store is not renewed', {
        'renews it': ofStore(() => ({ renewEpoch: () => async () => right('00000000') })),
      }),
      ...caughtBy('a store with contents is no target', {
        'takes it': ofCopy(() => ({ begin: () => async () => right(undefined) })),
      }),
      ...caughtBy('an unfinished copy begins again from nothing', {
        'keeps what was written': ofCopy((good) => ({
          begin: (copy, contents) => async () => {
            const copyState = await good.readCopyState()()
            const isBegun = !isLeft(copyState) && copyState.right.state === 'incomplete'
            return isBegun ? right(undefined) : good.begin(copy, contents)()
          },
        })),
      }),
      ...caughtBy('an unfinished copy from another place is not overwritten', {
        'does not compare the place': ofCopy(
          hear('begin', (copy, contents) => [{ ...copy, place: COPY.place }, contents]),
        ),
      }),
      ...caughtBy('an unfinished copy from another epoch is not overwritten', {
        'does not compare the epoch': ofCopy((good) => ({
          begin: (copy, contents) => async () => {
            const found = await good.readContents()()
            return isLeft(found) ? found : good.begin(copy, { ...contents, epoch: found.right.epoch })()
          },
        })),
      }),
      ...caughtBy('a page of another copy is not written', {
        'does not compare the copy': ofCopy(hear('write', (_, page) => [COPY.id, page])),
      }),
      ...caughtBy('only its own copy settles its pages, until it is complete', {
        'opens the store': ofCopy((good) => ({ settle: good.complete })),
      }),
      ...caughtBy('only its own copy completes a store, also twice', {
        'completes it for each copy': ofCopy(hear('complete', () => [COPY.id])),
      }),
      ...caughtBy('a store that is no target is not completed', {
        'says that it is complete': ofCopy(() => ({ complete: () => async () => right(undefined) })),
      }),
      ...caughtBy('a closed store cannot be copied', {
        'goes on after its end': ofStore(() => ({ close: async () => undefined })),
      }),
      ...caughtBy('a moved store is still closed, until a renewal', {
        'forgets the copy state when it is opened': ofAgain(
          ofCopy(answer('readCopyState', (): CopyState => ({ state: 'open', copyId: undefined }))),
        ),
      }),
      ...caughtBy('an incomplete store is still closed, until its copy completes it', {
        'takes changes when it is opened': ofAgain(ofStore(NEVER_REFUSES)),
      }),
    ],
  ))
