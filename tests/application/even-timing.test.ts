import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Timer } from '../../application/ports/environment.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { Change } from '../../application/ports/store.ts'
import { answerAfterMs } from '../../domain/even-timing.ts'
import type { User } from '../../domain/user.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

/**
 * The time to verify a record of each scheme, in milliseconds. `hash` makes records of the current one. The scheme `many-N` takes N
 * microseconds.
 */
const DURATIONS: Readonly<Record<string, number>> = { cheap: 60, dear: 200 }
const msOf = (scheme: string): number | undefined =>
  scheme.startsWith('many-') ? Number(scheme.slice('many-'.length)) / 1000 : DURATIONS[scheme]

/** How long each check waits before its hash starts. */
const QUEUE_MS = 17

/** A hasher whose work takes time on a simulated timer. */
const timedHasher = () => {
  let timeMs = 1_000
  let begunAt = 0
  let busyUntil = 0
  const scheme = { current: 'dear' }
  const timer: Timer = {
    now: () => timeMs,
    until: (atMs) => async () => {
      expect(timeMs, 'no hash is worked on meanwhile').to.be.at.least(busyUntil)
      timeMs = Math.max(timeMs, atMs)
    },
  }
  const schemeOf = (record: string) => record.split(' ')[0] ?? ''
  const hasher: PasswordHasher = {
    hash: (password) => async () =>
      right({ record: `${scheme.current} ${password}`, scheme: scheme.current }),
    verify:
      (password, record: Option<string>, { onStart }) =>
      async () => {
        timeMs += QUEUE_MS
        onStart?.()
        begunAt = timeMs
        timeMs += msOf(isSome(record) ? schemeOf(record.value) : scheme.current) ?? 0
        busyUntil = timeMs
        return right(isSome(record) && record.value === `${schemeOf(record.value)} ${password}`)
      },
    verifyMs: (name) => {
      const ms = msOf(isNone(name) ? scheme.current : name.value)
      return ms === undefined ? none : some(ms)
    },
    assess: () => 'current',
  }
  return { timer, hasher, scheme, tookMs: () => timeMs - begunAt }
}

const registration = (user: User): Change => change(registered(user))

/** Users of as many schemes, all of them cheap. */
const manyUsers = (count: number): ReadonlyArray<Change> =>
  Array.from({ length: count }, (_, index) =>
    registration(aUser({ passwordScheme: `many-${100_000 + index}` })),
  )

describe('a failed sign-in, given Ada, whose record is expensive', () => {
  let timed: ReturnType<typeof timedHasher>
  let world: World
  beforeEach(async () => {
    timed = timedHasher()
    world = await newWorld({ hasher: timed.hasher, modules: [provide(Dependency.timer, () => timed.timer)] })
  })

  const register = async (email: string, scheme: string) => {
    timed.scheme.current = scheme
    await succeed(world.service.registerUser(CONTEXT, { email, password: 'old' }, OPERATOR))
    timed.scheme.current = 'dear'
  }
  /** Returns the time from the start of the hash to the answer. */
  const tookMs = async (email: string, password: string) => {
    await world.service.signIn(CONTEXT, world.caller, { email, password })()
    return timed.tookMs()
  }

  it('when every record is as expensive, then it is answered without delay', async () => {
    expect(await tookMs('ada@example.com', 'wrong')).to.equal(DURATIONS.dear)
    expect(await tookMs('unknown@example.com', 'wrong')).to.equal(DURATIONS.dear)
  })

  it('when another record is cheap, then all failures take the same time', async () => {
    await register('bob@example.com', 'cheap')
    await register('cleo@example.com', 'cheap')
    await succeed(world.service.disableUser(CONTEXT, 'cleo@example.com'))
    const after = answerAfterMs([60, 200])
    expect(after).to.be.above(200)
    for (const [email, password] of [
      ['unknown@example.com', 'old'],
      ['ada@example.com', 'wrong'],
      ['bob@example.com', 'wrong'],
      ['cleo@example.com', 'wrong'],
      ['cleo@example.com', 'old'],
      ['no address', 'old'],
    ] as const)
      expect(await tookMs(email, password), `${email} ${password}`).to.be.closeTo(after, 1e-6)
  })

  it('when another record is more expensive than new ones, then its time does not show either', async () => {
    await register('bob@example.com', 'cheap')
    timed.scheme.current = 'cheap'
    const took = async (email: string) => {
      await world.service.signIn(CONTEXT, world.caller, { email, password: 'wrong' })()
      return timed.tookMs()
    }
    const each = [
      await took('unknown@example.com'),
      await took('ada@example.com'),
      await took('bob@example.com'),
    ]
    for (const ms of each) expect(ms).to.be.closeTo(answerAfterMs([60, 200]), 1e-6)
  })

  it('when every record is cheaper than an unknown e-mail, then the time does not show it', async () => {
    await register('bob@example.com', 'cheap')
    await succeed(world.service.removeUser(CONTEXT, 'ada@example.com'))
    expect(await tookMs('bob@example.com', 'wrong')).to.be.closeTo(answerAfterMs([60, 200]), 1e-6)
    expect(await tookMs('unknown@example.com', 'wrong')).to.be.closeTo(answerAfterMs([60, 200]), 1e-6)
  })

  it('when the last cheap record is gone, then it is answered without delay again', async () => {
    await register('bob@example.com', 'cheap')
    await succeed(world.service.setPassword(CONTEXT, { user: 'bob@example.com', password: 'new' }))
    expect(await tookMs('bob@example.com', 'wrong')).to.equal(DURATIONS.dear)
  })

  for (const others of [100, 499, 500, 1_500])
    it(`when ${others} other schemes are in use, then the slowest counts, although it is the last by name`, async () => {
      await commitAll(
        world.store,
        ...manyUsers(others),
        registration(aUser({ passwordScheme: 'many-900000' })),
      )
      expect(await tookMs('unknown@example.com', 'old')).to.be.closeTo(answerAfterMs([0.1, 900]), 1e-6)
      expect(await tookMs('ada@example.com', 'wrong')).to.be.closeTo(answerAfterMs([0.1, 900]), 1e-6)
    })

  it('when a scheme is unreadable, then it is ignored', async () => {
    await register('bob@example.com', 'unheard-of')
    expect(await tookMs('ada@example.com', 'wrong')).to.equal(DURATIONS.dear)
  })

  it('when it succeeds, then it is answered without delay', async () => {
    await register('bob@example.com', 'cheap')
    expect(await tookMs('bob@example.com', 'old')).to.equal(DURATIONS.cheap)
    expect(await tookMs('ada@example.com', 'old')).to.equal(DURATIONS.dear)
  })
})
