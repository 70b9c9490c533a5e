import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store } from '../../application/ports/store.ts'
import { MOST_WAITERS } from '../../domain/event-feed.ts'
import { onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { aRenewal } from '../testkit/builders.ts'
import { behind, feedReader, pageOf, positionsOf, write } from './feed-reader.ts'

onEveryStore('readFeed with a wait', (stores) => {
  const NOTHING_NEW = { wait: '30' }
  const TOO_MANY = { _tag: 'Overloaded', retryAfterSeconds: 5 }

  it('answers at once if there is an entry', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn')
    const { read } = feedReader(store)
    const answer = await read(NOTHING_NEW)
    expect(pageOf(answer)).to.include({ hasWaited: false })
    expect(positionsOf(answer)).to.deep.equal([1])
  })

  it('answers within a second after an entry is written', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered')
    const { read, orWaits, passSeconds } = feedReader(store)
    const answer = read({ after: '1', wait: '30' })
    expect(await orWaits(answer)).to.equal(undefined)
    await passSeconds(3)
    await write(store, 'UserSignedIn')
    await passSeconds(1)
    expect(pageOf(await answer)).to.include({ hasWaited: true })
    expect(positionsOf(await answer)).to.deep.equal([2])
  })

  it('waits on while only entries of other types are written, and continues behind them', async () => {
    const { store } = await stores.lasting()
    const { read, orWaits, passSeconds } = feedReader(store)
    const answer = read({ type: 'UserSignedIn', wait: '30' })
    await orWaits(answer)
    for (const type of ['UserRegistered', 'ApplicationTokenIssued'] as const) {
      await write(store, type)
      const again = orWaits(answer)
      await passSeconds(1)
      expect(await again).to.equal(undefined)
    }
    await write(store, 'UserSignedIn', 'UserRegistered')
    await passSeconds(1)
    expect(positionsOf(await answer)).to.deep.equal([3])
  })

  it('answers with an empty page when the time is over, not before', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserRegistered')
    const { read, orWaits, passSeconds, now } = feedReader(store)
    let at: number | undefined
    const answer = read({ type: 'UserSignedIn', wait: '7' }).then((answered) => {
      at = now()
      return answered
    })
    await orWaits(answer)
    await passSeconds(7)
    expect(pageOf(await answer)).to.deep.include({ entries: [], last: 1, hasWaited: true })
    expect(at).to.equal(7_000)
  })

  it('looks once a second for all requests together, and not without any', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn')
    let reads = 0
    const counting: Store['readEvents'] = (query) => {
      reads += 1
      return store.readEvents(query)
    }
    const { read, orWaits, passSeconds } = feedReader({ ...store, readEvents: counting })
    const answers = []
    for (let count = 0; count < 50; count += 1) {
      const answer = read({ after: '1', wait: '20' })
      await orWaits(answer)
      answers.push(answer)
    }
    reads = 0
    await passSeconds(10)
    expect(reads).to.be.within(9, 10)
    await passSeconds(10)
    await Promise.all(answers)
    reads = 0
    await passSeconds(60)
    expect(reads).to.equal(0)
  })

  it('refuses an application half of whose free places wait, and serves its requests that need not', async () => {
    const { store } = await stores.lasting()
    const { read, orWaits, passSeconds } = feedReader(store)
    const answers = []
    for (let count = 0; count < MOST_WAITERS / 2; count += 1) {
      const answer = read(NOTHING_NEW)
      await orWaits(answer)
      answers.push(answer)
    }
    expect(await read(NOTHING_NEW)).to.deep.equal(left(TOO_MANY))
    expect(positionsOf(await read())).to.deep.equal([])
    await write(store, 'UserSignedIn')
    expect(positionsOf(await read(NOTHING_NEW))).to.deep.equal([1])
    await passSeconds(1)
    for (const answer of answers) expect(positionsOf(await answer)).to.deep.equal([1])
  })

  it('lets another application wait beside one that takes all places it can, and wakes both', async () => {
    const { store } = await stores.lasting()
    const { read, orWaits, passSeconds } = feedReader(store)
    const waitingOf = async (application: string, after = '0') => {
      const answers = []
      for (;;) {
        const answer = read({ after, wait: '30' }, { application })
        const refused = await orWaits(answer)
        if (refused !== undefined) {
          expect(refused, application).to.deep.equal(left(TOO_MANY))
          return answers
        }
        answers.push(answer)
      }
    }
    const answers = [await waitingOf('greedy'), await waitingOf('other'), await waitingOf('third')]
    expect(answers.map(({ length }) => length)).to.deep.equal([50, 25, 12])
    await write(store, 'UserSignedIn')
    await passSeconds(1)
    for (const answer of answers.flat()) expect(positionsOf(await answer)).to.deep.equal([1])
    expect(await waitingOf('other', '1')).to.have.lengthOf(50)
  })

  it('ends when the service stops, and does not begin afterwards', async () => {
    const { store } = await stores.lasting()
    const { read, orWaits, stop } = feedReader(store)
    const answer = read(NOTHING_NEW)
    await orWaits(answer)
    stop()
    expect(positionsOf(await answer)).to.deep.equal([])
    expect(positionsOf(await read(NOTHING_NEW))).to.deep.equal([])
  })

  it('ends when the client has disconnected', async () => {
    const { store } = await stores.lasting()
    const { read, orWaits, passSeconds } = feedReader(store)
    const signal = { aborted: false }
    const gone = read(NOTHING_NEW, { signal })
    await orWaits(gone)
    const stays = read(NOTHING_NEW)
    await orWaits(stays)
    signal.aborted = true
    await passSeconds(1)
    expect(positionsOf(await gone)).to.deep.equal([])
    await write(store, 'UserSignedIn')
    await passSeconds(1)
    expect(positionsOf(await stays)).to.deep.equal([1])
  })

  it('meets a failure of the store, and a renewal by an operator', async () => {
    const { store } = await stores.lasting()
    await write(store, 'UserSignedIn')
    let isBroken = false
    const UNAVAILABLE = { _tag: 'StoreUnavailable', reason: 'full' } as const
    const readEvents: Store['readEvents'] = (query) =>
      isBroken ? TE.left(UNAVAILABLE) : store.readEvents(query)
    const { read, orWaits, passSeconds } = feedReader({ ...store, readEvents })
    const after = behind(pageOf(await read()))
    const first = read({ after, wait: '30' })
    await orWaits(first)
    isBroken = true
    await passSeconds(1)
    expect(await first).to.deep.equal(left(UNAVAILABLE))
    isBroken = false
    const second = read({ after, wait: '30' })
    await orWaits(second)
    const epoch = await succeed(store.renewEpoch(aRenewal))
    await passSeconds(1)
    expect(await second).to.deep.equal(left({ _tag: 'OtherEpoch', epoch, shared: 1 }))
  })
})
