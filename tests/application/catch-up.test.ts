import { expect } from 'chai'
import fc from 'fast-check'
import { some } from 'fp-ts/lib/Option.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { catchUp } from '../../application/log/catch-up.ts'
import { matchesFilter } from '../../application/log/entry-facts.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { EntryFilter, ReadModel } from '../../application/ports/read-model.ts'
import type { NewEntry, Store } from '../../application/ports/store.ts'
import { SEED } from '../domain/no-io.ts'
import { onFile } from '../sqlite/folder.ts'
import {
  aLastingEntry,
  aPruning,
  append,
  aRefusal,
  aRefusedChange,
  aSummary,
  EVERY,
  modelIn,
} from '../support/modelled-log.ts'
import { fail, succeed } from '../support/outcome.ts'
import { renewByStore } from '../support/renew-by-store.ts'

type Scene = Readonly<{ store: Store; model: ReturnType<typeof modelIn>; path: string }>

/** A test with an empty log in memory, and a read model of it. */
const onLog = (test: (scene: Scene) => Promise<void>) =>
  onFile(async (path) => {
    const [store, model] = [memoryStore(), modelIn(path)]
    try {
      await test({ store, model, path })
    } finally {
      await model.close()
    }
  })

const found = async (model: ReadModel, query: Partial<typeof EVERY> = {}) =>
  (await succeed(model.find({ ...EVERY, ...query }))).positions

const some3 = () => [aRefusal('wrong_password', { user: 'ada' }), aLastingEntry(), aRefusal('unknown_email')]

const manyRefusals = (count: number): ReadonlyArray<NewEntry> =>
  Array.from({ length: count }, () => aRefusal('unknown_email'))

/** Deletes entries of the log, as a pruning does. */
const pruneFrom = (store: Store, through: number, positions: ReadonlyArray<number>) => {
  const tree = treeOf(store)
  if (tree === undefined) throw new Error('no tree')
  return succeed(tree.pruneLog({ through, positions }))
}

describe('catchUp', () => {
  it(
    'brings an empty model to the end of the log, and later to its new end',
    onLog(async ({ store, model }) => {
      await append(store, ...some3())
      const first = await succeed(catchUp({ store, model }))
      expect(first.position).to.equal(3)
      expect(await succeed(model.state())).to.deep.equal(some(first))
      await append(store, ...manyRefusals(2_500))
      const pages: Array<number> = []
      const second = await succeed(catchUp({ store, model }, (position) => pages.push(position)))
      expect(pages).to.deep.equal([1_003, 2_003, 2_503])
      expect([second.epoch, second.position]).to.deep.equal([first.epoch, 2_503])
      expect(await found(model)).to.have.lengthOf(2_503)
    }),
  )

  it(
    'begins anew in another epoch, also if it changes meanwhile',
    onLog(async ({ store, model }) => {
      await append(store, ...some3())
      const former = await succeed(catchUp({ store, model }))
      await renewByStore(store)
      const latter = await succeed(catchUp({ store, model }))
      expect(latter.epoch).not.to.equal(former.epoch)
      expect(await found(model)).to.deep.equal([1, 2, 3, 4])

      await append(store, ...some3())
      let isRenewed = false
      const renewing: Store = {
        ...store,
        readEvents: (query) => async () => {
          const read = await store.readEvents(query)()
          if (!isRenewed && query.limit > 1) {
            isRenewed = true
            await renewByStore(store)
          }
          return read
        },
      }
      const last = await succeed(catchUp({ store: renewing, model }))
      expect(last.epoch).to.equal(await succeed(store.readEpoch()))
      expect(await found(model)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8])
    }),
  )

  it(
    'begins anew if the log has other entries in the same epoch: a raw copy, shorter or written on',
    onLog(async ({ store, model }) => {
      await append(store, ...some3())
      const { epoch } = await succeed(catchUp({ store, model }))
      for (const length of [1, 3, 5]) {
        const copy = { ...memoryStore(), readEpoch: () => store.readEpoch() }
        await append(copy, ...manyRefusals(length))
        const state = await succeed(catchUp({ store: copy, model }))
        expect([state.epoch, state.position]).to.deep.equal([epoch, length])
        expect(await found(model)).to.have.lengthOf(length)
        expect(await found(model, { filter: { user: 'ada' } })).to.deep.equal([])
      }
    }),
  )

  it(
    'keeps no entry that the log has pruned, however late it is deleted',
    onLog(async ({ store, model }) => {
      await append(store, ...manyRefusals(1_500), aLastingEntry(), aLastingEntry())
      await succeed(catchUp({ store, model }))
      await append(store, aPruning(1_501, 1_500))
      const before = await succeed(catchUp({ store, model }))
      expect(before.pruning, 'nothing is deleted yet').to.deep.equal({ through: 1_501, entries: 1_500 })
      expect(await found(model, { limit: 2 })).to.deep.equal([1, 2])

      const positions = Array.from({ length: 1_500 }, (_, index) => index + 1)
      await pruneFrom(store, 1_501, positions.slice(0, 900))
      const half = await succeed(catchUp({ store, model }))
      expect(half.pruning).not.to.equal(undefined)
      expect(await found(model, { limit: 1 })).to.deep.equal([901])
      await pruneFrom(store, 1_501, positions.slice(900, 1_500))
      const whole = await succeed(catchUp({ store, model }))
      expect(whole.pruning).to.equal(undefined)
      expect(await found(model)).to.deep.equal([1_501, 1_502, 1_503])
      expect(await found(model, { filter: { reason: 'unknown_email' } })).to.deep.equal([])
    }),
  )

  it(
    'reads a pruned log once, if it begins with it',
    onLog(async ({ store, model }) => {
      await append(store, ...some3(), aLastingEntry())
      await append(store, aPruning(3, 2))
      await pruneFrom(store, 3, [1, 3])
      let isReadAgain = false
      const counting: Store = {
        ...store,
        readEvents: (query) => {
          isReadAgain ||= query.through === 3
          return store.readEvents(query)
        },
      }
      const { pruning } = await succeed(catchUp({ store: counting, model }))
      expect([pruning, isReadAgain]).to.deep.equal([undefined, false])
      expect(await found(model)).to.deep.equal([2, 4, 5])
    }),
  )

  it(
    'lets several callers work at the same time',
    onLog(async ({ store, model, path }) => {
      await append(store, ...manyRefusals(4_321))
      const others = [modelIn(path), modelIn(path)]
      const states = await Promise.all(
        [model, ...others].map((one) => succeed(catchUp({ store, model: one }))),
      )
      for (const state of states) expect(state).to.deep.equal(states[0])
      expect(await found(model)).to.deep.equal(Array.from({ length: 4_321 }, (_, index) => index + 1))
      for (const other of others) await other.close()
    }),
  )

  it(
    'fails if another store takes the model each time',
    onLog(async ({ store, model }) => {
      await append(store, ...some3())
      const taken: ReadModel = {
        ...model,
        advance: (from, step) => async () => {
          await model.begin('00000000', some(from))()
          return model.advance(from, step)()
        },
      }
      expect(await fail(catchUp({ store, model: taken }))).to.have.property('_tag', 'ReadModelUnavailable')
    }),
  )
})

const users = fc.constantFrom('ada', 'bob', 'eve')
const times = fc.constantFrom(1, 2, 3, 4, 5)
const timeOf = (second: number) => `2026-01-01T00:00:0${second}.000Z`

const entries: fc.Arbitrary<NewEntry> = fc.oneof(
  fc
    .tuple(fc.constantFrom('unknown_email' as const, 'wrong_password' as const), times, users)
    .map(([reason, at, user]) => aRefusal(reason, { at: timeOf(at), user, application: 'shop' })),
  fc.tuple(times, users).map(([at, user]) => aLastingEntry({ at: timeOf(at), user, application: 'desk' })),
  fc.tuple(fc.constantFrom([4], [5], []), users).map(([codes, user]) => aRefusedChange(codes, user)),
  times.map((at) => aSummary({ wrong_password: 3, too_many_failures: 1 }, { at: timeOf(at) })),
)

const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const filters: fc.Arbitrary<EntryFilter> = fc.record({
  since: maybe(times.map((at) => Date.parse(timeOf(at)))),
  until: maybe(times.map((at) => Date.parse(timeOf(at)))),
  user: maybe(users),
  application: maybe(fc.constantFrom('shop', 'desk')),
  types: maybe(
    fc.constantFrom(['SignInRefused' as const], ['SessionsEnded' as const, 'RefusalsSummarized' as const]),
  ),
  reason: maybe(fc.constantFrom('wrong_password' as const, 'too_many_failures' as const)),
})
const places = fc.record({
  after: fc.nat(30),
  through: fc.nat(60),
  limit: fc.integer({ min: 1, max: 20 }),
  isReverse: fc.boolean(),
})

describe('a read model', () => {
  it('finds exactly the entries that meet a filter', async () => {
    await onLog(async ({ store, model }) => {
      const log = fc.sample(entries, { numRuns: 60, seed: SEED })
      await append(store, ...log)
      await succeed(catchUp({ store, model }))
      const all = await succeed(store.readEvents({ after: 0, limit: 100 }))
      const property = fc.asyncProperty(
        filters,
        places,
        async (filter, { after, through, limit, isReverse }) => {
          const expected = all
            .filter(matchesFilter(filter))
            .map(({ position }) => position)
            .filter((position) => position > after && position <= through)
          if (isReverse) expected.reverse()
          const { positions } = await succeed(model.find({ filter, after, through, limit, isReverse }))
          expect(positions).to.deep.equal(expected.slice(0, limit))
        },
      )
      await fc.assert(property, { seed: SEED, numRuns: 500 })
    })()
  })

  it(
    'counts refusals as often as their summaries do, by hour and by reason',
    onLog(async ({ store, model }) => {
      const [early, late] = ['2026-01-01T10:59:59.999Z', '2026-01-01T11:00:00.000Z']
      await append(
        store,
        aRefusal('wrong_password', { at: early }),
        aLastingEntry({ at: early }),
        aLastingEntry({ at: late }),
        aLastingEntry({ at: late }),
        aSummary({ wrong_password: 7, unknown_email: 2 }, { at: late }),
        aLastingEntry({ at: '2026-01-01T12:00:00.000Z' }),
      )
      await succeed(catchUp({ store, model }))
      const [ten = 0, eleven = 0, twelve = 0] = ['10', '11', '12'].map((hour) =>
        Date.parse(`2026-01-01T${hour}:00:00Z`),
      )
      const span = { since: ten, until: twelve }
      expect(await succeed(model.tally(span))).to.deep.equal({
        hours: [
          { hour: ten, type: 'SessionsEnded', count: 1 },
          { hour: ten, type: 'SignInRefused', count: 1 },
          { hour: eleven, type: 'SessionsEnded', count: 2 },
          { hour: eleven, type: 'SignInRefused', count: 9 },
        ],
        reasons: [
          { type: 'SignInRefused', reason: 'wrong_password', count: 8 },
          { type: 'SignInRefused', reason: 'unknown_email', count: 2 },
        ],
      })

      // A pruning leaves nothing of the entries that it removes.
      const epoch = await succeed(store.readEpoch())
      await succeed(model.keepOnly({ epoch, after: 0, through: 5, positions: [3] }))
      expect(await succeed(model.tally(span))).to.deep.equal({
        hours: [{ hour: eleven, type: 'SessionsEnded', count: 1 }],
        reasons: [],
      })
    }),
  )
})
