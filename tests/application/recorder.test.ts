import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Change, Store, StoreUnavailable } from '../../application/ports/store.ts'
import { inBackground, neverFailsWith, recorder } from '../../application/recording/recorder.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aUser } from '../testkit/builders.ts'
import { countingRandom, settableClock, uuid } from './fakes.ts'
import { allEvents, CONTEXT, NOW } from './world.ts'

const user = aUser({ id: 'ada', passwordRecord: 'record' })

const recording = () => {
  const store = memoryStore()
  const record = recorder({
    store,
    clock: settableClock(NOW).read,
    random: countingRandom(),
    digests: nodeDigests,
  })
  return { store, record }
}

describe('a recorded fact', () => {
  it('is in the log with the time, the actor and the request', async () => {
    const { store, record } = recording()
    const call = { requestId: 'request-9' }
    await succeed(record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, call))
    expect(await allEvents(store)).to.deep.equal([
      {
        position: 1,
        id: uuid(1),
        type: 'UserRegistered',
        version: 1,
        at: NOW,
        subject: { kind: 'user', id: 'ada' },
        actor: { kind: 'operator' },
        request_id: 'request-9',
        // SHA-256 of "record"
        data: {
          password_digest: '70ce871f8a3d3fb449bc3c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9',
          email_verified: false,
        },
      },
    ])
  })

  it('is recorded even if the request is aborted', async () => {
    const { store, record } = recording()
    await succeed(
      record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, { signal: () => AbortSignal.abort() }),
    )
    expect(await allEvents(store)).to.have.lengthOf(1)
  })
})

describe('a failure that a change cannot have', () => {
  const CASES = ['Conflict', 'EmailTaken'] as const
  for (const _tag of CASES) {
    it(`counts as an unavailable store: ${_tag}`, async () => {
      const lying: Pick<Store, 'commit'> = { commit: () => async () => left({ _tag }) }
      const record = recorder({
        store: lying,
        clock: settableClock(NOW).read,
        random: countingRandom(),
        digests: nodeDigests,
      })
      const task = record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, CONTEXT)
      expect(await fail(neverFailsWith('Conflict', 'EmailTaken')(task))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: `it reported an impossible ${_tag}`,
      })
      expect(await fail(neverFailsWith(_tag === 'Conflict' ? 'EmailTaken' : 'Conflict')(task))).to.deep.equal(
        {
          _tag,
        },
      )
    })
  }
})

describe('a change whose outcome the store lost', () => {
  const LOST: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'connection lost', outcome: 'unknown' }
  const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'the disk is full' }
  const CONFLICT = { _tag: 'Conflict' } as const
  const TAKEN = { _tag: 'EmailTaken' } as const
  type Outcome = 'written' | StoreUnavailable | typeof CONFLICT | typeof TAKEN

  const CASES: ReadonlyArray<
    readonly [name: string, answers: ReadonlyArray<Outcome>, commits: number, outcome: Outcome]
  > = [
    ['is not retried when it is known', ['written'], 1, 'written'],
    ['is found by a retry', [LOST, 'written'], 2, 'written'],
    ['is found by a second retry', [LOST, LOST, 'written'], 3, 'written'],
    ['stays lost after three attempts', [LOST, LOST, LOST, 'written'], 3, LOST],
    ['is a conflict on retry', [LOST, CONFLICT], 2, CONFLICT],
    ['is a taken e-mail on retry', [LOST, TAKEN], 2, TAKEN],
    ['stays lost when the store is then unavailable', [LOST, AWAY, AWAY], 3, LOST],
    ['is retried when the store is back', [LOST, AWAY, 'written'], 3, 'written'],
    ['is not a conflict, which is reported at once', [CONFLICT, 'written'], 1, CONFLICT],
    ['is not a taken e-mail, which is reported at once', [TAKEN, 'written'], 1, TAKEN],
    ['is not a full disk, which is reported at once', [AWAY, 'written'], 1, AWAY],
  ]
  for (const [name, answers, commits, outcome] of CASES) {
    it(name, async () => {
      const changes: Array<Change> = []
      const losing: Pick<Store, 'commit'> = {
        commit: (change) => async () => {
          const answer = answers[changes.length]
          changes.push(change)
          if (answer === undefined) throw new Error('asked too often')
          return answer === 'written' ? right(undefined) : left(answer)
        },
      }
      const record = recorder({
        store: losing,
        clock: settableClock(NOW).read,
        random: countingRandom(),
        digests: nodeDigests,
      })
      const task = record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, CONTEXT)
      expect(await task()).to.deep.equal(outcome === 'written' ? right(undefined) : left(outcome))
      expect(changes).to.have.lengthOf(commits)
      for (const change of changes) expect(change).to.deep.equal(changes[0])
    })
  }

  it('is written once, even if the store had written it each time', async () => {
    const store = memoryStore()
    let lost = 0
    const forgetful: Pick<Store, 'commit'> = {
      commit: (change) => async () => {
        const outcome = await store.commit(change)()
        lost += 1
        return lost < 3 ? left(LOST) : outcome
      },
    }
    const record = recorder({
      store: forgetful,
      clock: settableClock(NOW).read,
      random: countingRandom(),
      digests: nodeDigests,
    })
    await succeed(record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, CONTEXT))
    expect(await allEvents(store)).to.have.lengthOf(1)
  })
})

describe('a change of a request with a deadline', () => {
  const LOST: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'connection lost', outcome: 'unknown' }
  const REFUSED = left({ _tag: 'StoreUnavailable', reason: 'the request was answered before a commit began' })

  /** How often a commit may begin, what each one answers (`never`: nothing), how many begin, and the outcome. */
  const CASES: ReadonlyArray<
    readonly [
      name: string,
      mayBegin: number,
      answers: ReadonlyArray<'written' | 'never' | typeof LOST>,
      commits: number,
      outcome: unknown,
    ]
  > = [
    ['is written before the deadline', 1, ['written'], 1, right(undefined)],
    ['does not reach the store after the deadline', 0, ['written'], 0, REFUSED],
    ['is not written again after the deadline', 1, [LOST, 'written'], 1, left(LOST)],
    ['is written again before the deadline', 2, [LOST, 'written'], 2, right(undefined)],
    ['is not written a third time after the deadline', 2, [LOST, LOST, 'written'], 2, left(LOST)],
    ['waits for a store that never answers', 1, ['never'], 1, 'nothing'],
    ['waits for a store that never answers again', 2, [LOST, 'never'], 2, 'nothing'],
  ]
  for (const [name, mayBegin, answers, commits, outcome] of CASES) {
    it(name, async () => {
      let begun = 0
      const record = recorder({
        store: {
          commit: () => () => {
            begun += 1
            const answer = answers[begun - 1]
            if (answer === 'never') return new Promise(() => undefined)
            return Promise.resolve(
              answer === 'written' || answer === undefined ? right(undefined) : left(answer),
            )
          },
        },
        clock: settableClock(NOW).read,
        random: countingRandom(),
        digests: nodeDigests,
      })
      const task = record(
        [{ _tag: 'UserRegistered', user }],
        { kind: 'operator' },
        {
          beginCommit: () => begun < mayBegin,
        },
      )
      const settled = new Promise((resolve) => setImmediate(resolve, 'nothing'))
      expect(await Promise.race([task(), settled])).to.deep.equal(outcome)
      expect(begun).to.equal(commits)
    })
  }

  it('is written in the background after the deadline', async () => {
    const { store, record } = recording()
    const context = inBackground({ requestId: 'request-9', beginCommit: () => false })
    await succeed(record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, context))
    expect((await allEvents(store)).map(({ request_id }) => request_id)).to.deep.equal(['request-9'])
  })
})
