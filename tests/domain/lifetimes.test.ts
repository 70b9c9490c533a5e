import { expect } from 'chai'
import { fromNullable } from 'fp-ts/lib/Option.js'
import {
  forgetsEarly,
  isAboutLifetimes,
  type LifetimeSettings,
  type Lifetimes,
  type LifetimesProblem,
  lifetimesOf,
  lifetimesProblem,
  longestIdleSeconds,
  longestSessionSeconds,
  NO_OWN_LIFETIMES,
  type OwnLifetimes,
  withLifetimes,
} from '../../domain/lifetimes.ts'
import { withoutIo } from './no-io.ts'

type Named = Readonly<{ token?: number; idle?: number; session?: number; remember?: number }>

const own = ({ token, idle, session, remember }: Named = {}): OwnLifetimes => ({
  userTokenTtlSeconds: fromNullable(token),
  idleTtlSeconds: fromNullable(idle),
  sessionTtlSeconds: fromNullable(session),
  rememberTtlSeconds: fromNullable(remember),
})
const service = ({ token = 600, idle, session = token, remember }: Named = {}): LifetimeSettings => ({
  userTokenTtlSeconds: token,
  idleTtlSeconds: idle,
  sessionTtlSeconds: session,
  rememberTtlSeconds: remember,
})
const lasting = (token: number, idle: number, session: number, remembered = false): Lifetimes => ({
  userTokenTtlSeconds: token,
  idleTtlSeconds: idle,
  sessionTtlSeconds: session,
  remembered,
})

describe('the lifetimes of an application', () => {
  withoutIo()

  const CASES: ReadonlyArray<readonly [name: string, own: Named, service: Named, Lifetimes]> = [
    ['none of its own: those of the service', {}, { session: 9_000 }, lasting(600, 600, 9_000)],
    ['no lifetime of sessions anywhere: that of tokens', {}, {}, lasting(600, 600, 600)],
    ['shorter tokens', { token: 60 }, { session: 9_000 }, lasting(60, 60, 9_000)],
    ['shorter tokens, and no lifetime of sessions', { token: 60 }, {}, lasting(60, 60, 600)],
    ['shorter sessions', { session: 700 }, { session: 9_000 }, lasting(600, 600, 700)],
    ['both, above the settings', { token: 9_000, session: 90_000 }, {}, lasting(9_000, 9_000, 90_000)],
    ['both the same', { token: 9_000, session: 9_000 }, {}, lasting(9_000, 9_000, 9_000)],
    ['an idle time of the service', {}, { idle: 3_600, session: 9_000 }, lasting(600, 3_600, 9_000)],
    ['an idle time of its own', { idle: 1_200 }, { idle: 3_600, session: 9_000 }, lasting(600, 1_200, 9_000)],
    ['an idle time as long as the session', { idle: 9_000 }, { session: 9_000 }, lasting(600, 9_000, 9_000)],
    ['an idle time below that of tokens, which counts', { idle: 60 }, {}, lasting(600, 600, 600)],
    [
      'longer tokens than the idle time of the service',
      { token: 5_000 },
      { idle: 3_600, session: 9_000 },
      lasting(5_000, 5_000, 9_000),
    ],
  ]
  for (const [name, lifetimes, settings, expected] of CASES)
    it(`are with ${name}`, () => {
      const application = { lifetimes: own(lifetimes) }
      expect(lifetimesOf(application, service(settings), false)).to.deep.equal(expected)
      expect(lifetimesProblem(application, service(settings))).to.equal(undefined)
      expect(lifetimesOf(application, service(settings), true), 'nobody is remembered').to.deep.equal(
        expected,
      )
      expect(longestIdleSeconds(application, service(settings))).to.equal(expected.idleTtlSeconds)
      expect(longestSessionSeconds(application, service(settings))).to.equal(expected.sessionTtlSeconds)
    })

  const REMEMBERED: ReadonlyArray<readonly [name: string, own: Named, service: Named, Lifetimes]> = [
    ['one of the service', {}, { remember: 90_000 }, lasting(600, 90_000, 90_000, true)],
    ['one of its own', { remember: 80_000 }, { remember: 90_000 }, lasting(600, 80_000, 80_000, true)],
    ['one beside an idle time', { idle: 60, remember: 80_000 }, {}, lasting(600, 80_000, 80_000, true)],
    ['one below that of tokens, which it cuts', { remember: 90 }, {}, lasting(90, 90, 90, true)],
  ]
  for (const [name, lifetimes, settings, expected] of REMEMBERED)
    it(`are those of a remembered session with ${name}, only if the user wants to be remembered`, () => {
      const application = { lifetimes: own(lifetimes) }
      expect(lifetimesOf(application, service(settings), true)).to.deep.equal(expected)
      const ordinary = lifetimesOf(application, service(settings), false)
      expect(ordinary).to.include({ remembered: false, sessionTtlSeconds: 600 })
      expect(longestIdleSeconds(application, service(settings))).to.equal(
        Math.max(ordinary.idleTtlSeconds, expected.idleTtlSeconds),
      )
      expect(longestSessionSeconds(application, service(settings))).to.equal(
        Math.max(600, expected.sessionTtlSeconds),
      )
    })

  const token = (userTokenTtlSeconds: number, sessionTtlSeconds: number): LifetimesProblem => ({
    _tag: 'TokenOutlivesSession',
    userTokenTtlSeconds,
    sessionTtlSeconds,
  })
  const idle = (idleTtlSeconds: number, sessionTtlSeconds: number): LifetimesProblem => ({
    _tag: 'IdleOutlivesSession',
    idleTtlSeconds,
    sessionTtlSeconds,
  })
  const WRONG: ReadonlyArray<
    readonly [name: string, own: Named, service: Named, problem: LifetimesProblem, Lifetimes]
  > = [
    ['longer tokens only', { token: 601 }, {}, token(601, 600), lasting(600, 600, 600)],
    ['shorter sessions only', { session: 599 }, { session: 9_000 }, token(600, 599), lasting(599, 599, 599)],
    [
      'both, in the wrong order',
      { token: 9_001, session: 9_000 },
      {},
      token(9_001, 9_000),
      lasting(9_000, 9_000, 9_000),
    ],
    ['a longer idle time only', { idle: 601 }, {}, idle(601, 600), lasting(600, 600, 600)],
    [
      'sessions shorter than the idle time of the service',
      { session: 700 },
      { idle: 701, session: 9_000 },
      idle(701, 700),
      lasting(600, 700, 700),
    ],
    [
      'longer tokens and a longer idle time',
      { token: 601, idle: 602 },
      {},
      token(601, 600),
      lasting(600, 600, 600),
    ],
  ]
  for (const [name, lifetimes, settings, problem, cut] of WRONG)
    it(`are wrong with ${name}, and neither outlives the session`, () => {
      const application = { lifetimes: own(lifetimes) }
      expect(lifetimesProblem(application, service(settings))).to.deep.equal(problem)
      expect(lifetimesOf(application, service(settings), false)).to.deep.equal(cut)
    })

  it('forget early if remembered sessions end before ordinary ones, by whichever lifetimes count', () => {
    for (const [lifetimes, settings, problem] of [
      [{}, {}, undefined],
      [{}, { session: 9_000 }, undefined],
      [{ remember: 9_000 }, { session: 9_000 }, undefined],
      [{ remember: 8_999 }, { session: 9_000 }, [8_999, 9_000]],
      [{ session: 9_000 }, { remember: 700 }, [700, 9_000]],
      [{ session: 9_000, remember: 90_000 }, { remember: 700 }, undefined],
    ] as const) {
      const early = forgetsEarly({ lifetimes: own(lifetimes) }, service(settings))
      const [rememberTtlSeconds, sessionTtlSeconds] = problem ?? []
      expect(early).to.deep.equal(problem && { rememberTtlSeconds, sessionTtlSeconds })
    }
  })

  const ALL = { token: 1, idle: 2, session: 3, remember: 4 }
  it('change as requested, and stay where the request has none', () => {
    expect(withLifetimes(own(ALL), {})).to.deep.equal(own(ALL))
    expect(withLifetimes(own(ALL), { userTokenTtl: 5, rememberTtl: 6 })).to.deep.equal(
      own({ ...ALL, token: 5, remember: 6 }),
    )
    expect(withLifetimes(own(ALL), { sessionTtl: 'default' })).to.deep.equal(
      own({ token: 1, idle: 2, remember: 4 }),
    )
    const all = { userTokenTtl: 'default', idleTtl: 'default', sessionTtl: 'default' } as const
    expect(withLifetimes(own(ALL), { ...all, rememberTtl: 'default' })).to.deep.equal(NO_OWN_LIFETIMES)
  })

  it('are what a request is about, if it names one', () => {
    expect(isAboutLifetimes({})).to.equal(false)
    for (const name of ['userTokenTtl', 'idleTtl', 'sessionTtl', 'rememberTtl'])
      expect(isAboutLifetimes({ [name]: 'default' }), name).to.equal(true)
  })
})
