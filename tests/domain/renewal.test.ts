import { expect } from 'chai'
import fc from 'fast-check'
import { fromNullable, isNone, none, some } from 'fp-ts/lib/Option.js'
import { type Renewal, renewalOf, renewed } from '../../domain/renewal.ts'
import type { Session } from '../../domain/session.ts'
import { withoutIo } from './no-io.ts'

const TTL = 1_000
/** Opened at 0, with an end at 2,500. */
const SESSION: Session = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 1,
  sessionsVersion: 1,
  createdAtSeconds: 0,
  expiresAtSeconds: TTL,
  endsAtSeconds: 2_500,
  renewedAtSeconds: none,
  passwordChangedAtSeconds: none,
  cookie: none,
  browserId: none,
  label: none,
  applicationId: 'shop',
  remembered: false,
  methods: 'password',
  authenticatedAtSeconds: 0,
  signedOut: false,
  version: 1,
}

describe('the renewal of a session', () => {
  withoutIo()

  const written = (now: number, lifetimeSeconds: number, rest = lifetimeSeconds): Renewal => ({
    lifetimeSeconds,
    sessionExpiresAtSeconds: now + rest,
    isWritten: true,
  })
  const kept = (sessionExpiresAtSeconds: number, lifetimeSeconds: number): Renewal => ({
    lifetimeSeconds,
    sessionExpiresAtSeconds,
    isWritten: false,
  })
  const at = (renewedAt: number, expiresAtSeconds = renewedAt + TTL) => ({
    renewedAtSeconds: some(renewedAt),
    expiresAtSeconds,
  })
  const CASES: ReadonlyArray<
    readonly [what: string, session: Partial<Session>, now: number, ttl: number, renewal: Renewal | undefined]
  > = [
    ['lives as long as a token of a sign-in', {}, 900, TTL, written(900, TTL)],
    ['lives no longer than the session', {}, 1_800, TTL, written(1_800, 700)],
    ['is none at the end', {}, 2_500, TTL, undefined],
    ['is not written again within 60 seconds', at(500), 559, TTL, kept(1_500, 941)],
    ['is written again after 60 seconds', at(500), 560, TTL, written(560, TTL)],
    ['is not written again within half a short lifetime', at(500, 600), 549, 100, kept(600, 51)],
    ['is written again after half a short lifetime', at(500, 600), 550, 100, written(550, 100)],
    ['takes a lifetime that became shorter', at(500), 510, 300, kept(1_500, 300)],
    ['is not written to an earlier expiry, after a minute either', at(500), 900, 300, kept(1_500, 300)],
    ['of an expired session is written, while its token is tolerated', at(0, 5), 7, TTL, written(7, TTL)],
  ]
  for (const [what, session, now, ttl, renewal] of CASES)
    it(`${what}, while the session is idle for as long as a token lives`, () => {
      const lifetimes = { userTokenTtlSeconds: ttl, idleTtlSeconds: ttl }
      expect(renewalOf({ ...SESSION, ...session }, lifetimes, now)).to.deep.equal(fromNullable(renewal))
    })

  /** With tokens of 100 seconds and an idle time of 800, so an eighth is 100. */
  const IDLE: ReadonlyArray<
    readonly [what: string, expiresAtSeconds: number, now: number, renewal: Renewal | undefined]
  > = [
    ['is not written, if it moves the expiry by less than an eighth', 800, 99, kept(800, 100)],
    ['is written, if it moves the expiry by an eighth', 800, 100, written(100, 100, 800)],
    ['is written after the expiry of its token', 800, 790, written(790, 100, 800)],
    ['is written, if the token would outlive the session', 1_000, 901, written(901, 100, 800)],
    ['moves the expiry to the end at most', 1_800, 1_790, written(1_790, 100, 710)],
    ['is not written near the end, where it moves nothing', 2_500, 2_300, kept(2_500, 100)],
    ['is not written for less than an eighth near the end', 2_450, 2_300, kept(2_450, 100)],
    ['is written near the end for a token that lives as long', 2_450, 2_400, written(2_400, 100, 100)],
    ['lives no longer than the session', 2_500, 2_450, kept(2_500, 50)],
    ['is none at the end', 2_500, 2_500, undefined],
    ['never shortens a session whose idle time became shorter', 2_000, 500, kept(2_000, 100)],
    ['of an expired session is written, while its token is tolerated', 800, 802, written(802, 100, 800)],
  ]
  for (const [what, expiresAtSeconds, now, renewal] of IDLE)
    it(`${what}, while the session is idle for longer than a token lives`, () => {
      const lifetimes = { userTokenTtlSeconds: 100, idleTtlSeconds: 800 }
      for (const renewedAtSeconds of [none, some(now)])
        expect(renewalOf({ ...SESSION, expiresAtSeconds, renewedAtSeconds }, lifetimes, now)).to.deep.equal(
          fromNullable(renewal),
        )
    })

  it('never goes beyond the end, never shortens, and leaves at least seven eighths of the idle time', () => {
    const lifetime = fc.integer({ min: 1, max: 5_000 })
    const pauses = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 50 })
    fc.assert(
      fc.property(lifetime, lifetime, lifetime, pauses, (token, idle, life, waits) => {
        const sessionTtl = Math.max(token, idle, life)
        const lifetimes = { userTokenTtlSeconds: token, idleTtlSeconds: Math.max(token, idle) }
        const { idleTtlSeconds } = lifetimes
        let session: Session = { ...SESSION, expiresAtSeconds: idleTtlSeconds, endsAtSeconds: sessionTtl }
        let now = 0
        for (const wait of waits) {
          now += wait
          if (now >= session.expiresAtSeconds) return
          const renewal = renewalOf(session, lifetimes, now)
          if (isNone(renewal)) return
          const { lifetimeSeconds, sessionExpiresAtSeconds: expiry, isWritten } = renewal.value
          expect(lifetimeSeconds).to.be.within(1, token)
          expect(now + lifetimeSeconds, 'the session lives as long as its token').to.be.at.most(expiry)
          expect(expiry).to.be.within(session.expiresAtSeconds, sessionTtl)
          if (!isWritten) expect(expiry).to.equal(session.expiresAtSeconds)
          if (idleTtlSeconds > token)
            expect(expiry).to.be.at.least(
              Math.min(now + (idleTtlSeconds * 7) / 8 - 1, sessionTtl - idleTtlSeconds / 8),
            )
          if (isWritten) session = renewed(session, expiry, now)
        }
      }),
    )
  })

  for (const [what, idleTtlSeconds, life, renewals, writes] of [
    ['12 hours of idle time in 30 days', 43_200, 2_592_000, 4_319, 472],
    ['a remembered session of 30 days', 2_592_000, 2_592_000, 4_319, 0],
  ] as const)
    it(`is written ${writes} times of ${renewals}, every ten minutes with ${what}`, () => {
      let session: Session = { ...SESSION, expiresAtSeconds: idleTtlSeconds, endsAtSeconds: life }
      const written: Array<boolean> = []
      for (let now = 600; now < life; now += 600) {
        const renewal = renewalOf(session, { userTokenTtlSeconds: 600, idleTtlSeconds }, now)
        if (isNone(renewal)) throw new Error(`it has ended at ${now}`)
        written.push(renewal.value.isWritten)
        if (renewal.value.isWritten) session = renewed(session, renewal.value.sessionExpiresAtSeconds, now)
      }
      expect([written.length, written.filter((one) => one).length]).to.deep.equal([renewals, writes])
    })

  it('moves the expiry of the session, never to an earlier time', () => {
    expect(renewed(SESSION, 1_500, 500)).to.deep.equal({ ...SESSION, ...at(500) })
    expect(renewed(SESSION, 800, 500)).to.deep.equal({ ...SESSION, ...at(500, TTL) })
  })
})
