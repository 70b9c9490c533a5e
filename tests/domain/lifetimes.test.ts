import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  type LifetimeSettings,
  lifetimesOf,
  lifetimesProblem,
  NO_OWN_LIFETIMES,
  type OwnLifetimes,
  withLifetimes,
} from '../../domain/lifetimes.ts'
import { withoutIo } from './no-io.ts'

const own = (token?: number, session?: number): OwnLifetimes => ({
  userTokenTtlSeconds: token === undefined ? none : some(token),
  sessionTtlSeconds: session === undefined ? none : some(session),
})
const service = (userTokenTtlSeconds: number, sessionTtlSeconds = userTokenTtlSeconds): LifetimeSettings => ({
  userTokenTtlSeconds,
  sessionTtlSeconds,
})

describe('the lifetimes of an application', () => {
  withoutIo()

  const CASES: ReadonlyArray<
    readonly [name: string, own: OwnLifetimes, LifetimeSettings, token: number, session: number]
  > = [
    ['none of its own: those of the service', own(), service(600, 9_000), 600, 9_000],
    ['no lifetime of sessions anywhere: that of tokens', own(), service(600), 600, 600],
    ['shorter tokens', own(60), service(600, 9_000), 60, 9_000],
    ['shorter tokens, and no lifetime of sessions', own(60), service(600), 60, 600],
    ['shorter sessions', own(undefined, 700), service(600, 9_000), 600, 700],
    ['both, above the settings', own(9_000, 90_000), service(600), 9_000, 90_000],
    ['both the same', own(9_000, 9_000), service(600), 9_000, 9_000],
  ]
  for (const [name, lifetimes, settings, userTokenTtlSeconds, sessionTtlSeconds] of CASES)
    it(`are with ${name}`, () => {
      expect(lifetimesOf({ lifetimes }, settings)).to.deep.equal({ userTokenTtlSeconds, sessionTtlSeconds })
      expect(lifetimesProblem({ lifetimes }, settings)).to.equal(undefined)
    })

  const WRONG: ReadonlyArray<
    readonly [name: string, own: OwnLifetimes, LifetimeSettings, token: number, session: number]
  > = [
    ['longer tokens only', own(601), service(600), 601, 600],
    ['shorter sessions only', own(undefined, 599), service(600, 9_000), 600, 599],
    ['both, in the wrong order', own(9_001, 9_000), service(600), 9_001, 9_000],
  ]
  for (const [name, lifetimes, settings, userTokenTtlSeconds, sessionTtlSeconds] of WRONG)
    it(`are wrong with ${name}, and a token ends with its session`, () => {
      expect(lifetimesProblem({ lifetimes }, settings)).to.deep.equal({
        _tag: 'TokenOutlivesSession',
        userTokenTtlSeconds,
        sessionTtlSeconds,
      })
      expect(lifetimesOf({ lifetimes }, settings)).to.deep.equal({
        userTokenTtlSeconds: sessionTtlSeconds,
        sessionTtlSeconds,
      })
    })

  it('change as requested, and stay where the request has none', () => {
    expect(withLifetimes(own(1, 2), {})).to.deep.equal(own(1, 2))
    expect(withLifetimes(own(1, 2), { userTokenTtl: 3 })).to.deep.equal(own(3, 2))
    expect(withLifetimes(own(1, 2), { sessionTtl: 'default' })).to.deep.equal(own(1))
    expect(withLifetimes(own(1, 2), { userTokenTtl: 'default', sessionTtl: 'default' })).to.deep.equal(
      NO_OWN_LIFETIMES,
    )
  })
})
