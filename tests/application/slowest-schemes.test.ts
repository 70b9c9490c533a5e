import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { type SlowestSchemes, slowestSchemes } from '../../application/passwords/slowest-schemes.ts'
import type { Change, Store } from '../../application/ports/store.ts'
import { removed, type User } from '../../domain/user.ts'
import { succeed } from '../support/outcome.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { type DrivenBackground, drivenBackground } from './background.ts'
import { settableClock } from './fakes.ts'
import { FULL, NOW } from './world.ts'

/** The scheme `ms-N` takes N milliseconds. No other scheme is readable. */
const verifyMs = (scheme: Option<string>): Option<number> =>
  scheme._tag === 'Some' && scheme.value.startsWith('ms-') ? some(Number(scheme.value.slice(3))) : none

const registration = (user: User): Change => change(registered(user))
const withScheme = (ms: number): User => aUser({ passwordScheme: `ms-${ms}` })

/** An entry of an import, and its user. */
const imported = (ms: number): Change =>
  change({ _tag: 'UserImported', user: withScheme(ms), createdAtSeconds: 0 })

/** As many users with schemes of 1,000,000 ms and more, each with another one. */
const users = (count: number): ReadonlyArray<User> =>
  Array.from({ length: count }, (_, index) => withScheme(1_000_000 + index))

describe('the slowest password schemes in use', () => {
  let store: Store
  let calls: { listPasswordSchemes: number; isUnavailable: boolean; atSecondPage: () => Promise<void> }
  let background: DrivenBackground
  let slowest: SlowestSchemes
  beforeEach(() => {
    store = memoryStore()
    calls = { listPasswordSchemes: 0, isUnavailable: false, atSecondPage: async () => {} }
    background = drivenBackground(settableClock(NOW))
    slowest = slowestSchemes({
      store: {
        readEvents: (query) => store.readEvents(query),
        listPasswordSchemes: (query) => async () => {
          calls.listPasswordSchemes += 1
          if (calls.listPasswordSchemes === 3) await calls.atSecondPage()
          return calls.isUnavailable ? left(FULL) : store.listPasswordSchemes(query)()
        },
      },
      hasher: { verifyMs },
      background,
    })
  })

  const remove = (user: User) =>
    commitAll(store, {
      ...imported(1),
      rows: [{ table: 'users', row: { ...removed(user), version: 2 } }],
    })

  it('are read by each call while one page holds all', async () => {
    await commitAll(store, ...users(499).map(registration))
    expect(await succeed(slowest)).to.have.lengthOf(499)
    await commitAll(store, imported(2_000_000))
    await commitAll(store, registration(withScheme(5)))
    await background.passSeconds(600)
    expect(calls.listPasswordSchemes, 'in the background').to.equal(1)
  })

  it('are five hundred at most: the slowest, wherever their names are, and the fastest', async () => {
    const [slow, fast, unreadable] = [withScheme(9_000_000), withScheme(7), aUser({ passwordScheme: 'zzz' })]
    await commitAll(store, ...[...users(1_600), slow, fast, unreadable].map(registration))
    const found = await succeed(slowest)
    expect(found).to.have.lengthOf(500)
    expect(found[0]).to.equal('ms-9000000')
    expect(found.slice(1, 499)).to.deep.equal(
      Array.from({ length: 498 }, (_, index) => `ms-${1_001_599 - index}`),
    )
    expect(found[499]).to.equal('ms-7')
  })

  it('are read once by concurrent first calls, and not again by later calls', async () => {
    await commitAll(store, ...users(1_250).map(registration))
    const [one, other] = await Promise.all([succeed(slowest), succeed(slowest)])
    expect(one).to.deep.equal(other)
    expect(calls.listPasswordSchemes).to.equal(2 + 3) // the first page for each call, and one walk
    await succeed(slowest)
    expect(calls.listPasswordSchemes).to.equal(5)
  })

  it('include at once what another process imports', async () => {
    await commitAll(store, ...users(1_250).map(registration))
    await succeed(slowest)
    for (const ms of [8_000_000, 9_000_000]) {
      await commitAll(store, imported(ms))
      const [first] = await succeed(slowest)
      expect(first).to.equal(`ms-${ms}`)
    }
    expect(calls.listPasswordSchemes).to.equal(4)
  })

  it('include what is imported behind the walk while it goes on', async () => {
    await commitAll(store, ...users(1_250).map(registration))
    const first = 'ms-00009000000' // it is the first by name
    calls.atSecondPage = () =>
      commitAll(
        store,
        change({ _tag: 'UserImported', user: aUser({ passwordScheme: first }), createdAtSeconds: 0 }),
      )
    expect((await succeed(slowest))[0]).to.equal(first)
  })

  it('are read again in the background after a minute, so that schemes without users are forgotten', async () => {
    const slow = withScheme(9_000_000)
    await commitAll(store, ...[...users(1_250), slow].map(registration))
    await succeed(slowest)
    await remove(slow)
    await background.passSeconds(61)
    expect(calls.listPasswordSchemes).to.equal(1 + 3 + 3)
    const [first] = await succeed(slowest)
    expect(first).to.equal('ms-1001249')
    expect(calls.listPasswordSchemes, 'by the call').to.equal(7)
  })

  it('are not read again while the log does not grow', async () => {
    await commitAll(store, ...users(1_250).map(registration))
    await succeed(slowest)
    await background.passSeconds(600)
    expect(calls.listPasswordSchemes).to.equal(4)
    await commitAll(store, registration(withScheme(9_000_000)))
    await background.passSeconds(60)
    const [first] = await succeed(slowest)
    expect(first).to.equal('ms-9000000')
  })

  it('stay known while the store cannot be read in the background', async () => {
    await commitAll(store, ...users(1_250).map(registration))
    const before = await succeed(slowest)
    await commitAll(store, registration(withScheme(9_000_000)))
    calls.isUnavailable = true
    await background.passSeconds(61)
    expect(await succeed(slowest)).to.deep.equal(before)
    calls.isUnavailable = false
    await background.passSeconds(60)
    const [first] = await succeed(slowest)
    expect(first).to.equal('ms-9000000')
  })

  it('are read by each call again once one page holds all', async () => {
    const many = users(600)
    await commitAll(store, ...many.map(registration))
    await succeed(slowest)
    for (const user of many.slice(100)) await remove(user)
    await background.passSeconds(61)
    const before = calls.listPasswordSchemes
    expect(await succeed(slowest)).to.have.lengthOf(100)
    await background.passSeconds(600)
    expect(calls.listPasswordSchemes).to.equal(before + 1)
  })

  it('are read by the next call if the first walk fails', async () => {
    await commitAll(store, ...users(600).map(registration))
    calls.isUnavailable = true
    expect(await slowest()).to.deep.equal(left(FULL))
    calls.isUnavailable = false
    expect(await succeed(slowest)).to.have.lengthOf(500)
  })

  it('are not waited for when the service stops', async () => {
    await commitAll(store, ...users(600).map(registration))
    await succeed(slowest)
    await commitAll(store, imported(5))
    await background.close()
    expect(calls.listPasswordSchemes).to.equal(3)
  })
})
