import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
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
  label: none,
  applicationId: 'shop',
  methods: 'password',
  authenticatedAtSeconds: 0,
  signedOut: false,
  version: 1,
}

describe('the renewal of a session', () => {
  withoutIo()

  const written = (lifetimeSeconds: number): Renewal => ({ lifetimeSeconds, isWritten: true })
  const kept = (lifetimeSeconds: number): Renewal => ({ lifetimeSeconds, isWritten: false })
  const at = (renewedAt: number, expiresAtSeconds = renewedAt + TTL) => ({
    renewedAtSeconds: some(renewedAt),
    expiresAtSeconds,
  })
  const CASES: ReadonlyArray<
    readonly [what: string, session: Partial<Session>, now: number, ttl: number, renewal: Renewal | undefined]
  > = [
    ['lives as long as a token of a sign-in', {}, 900, TTL, written(TTL)],
    ['lives no longer than the session', {}, 1_800, TTL, written(700)],
    ['is none at the end', {}, 2_500, TTL, undefined],
    ['is not written again within 60 seconds', at(500), 559, TTL, kept(941)],
    ['is written again after 60 seconds', at(500), 560, TTL, written(TTL)],
    ['is not written again within half a short lifetime', at(500, 600), 549, 100, kept(51)],
    ['is written again after half a short lifetime', at(500, 600), 550, 100, written(100)],
    ['takes a lifetime that became shorter', at(500), 510, 300, kept(300)],
    ['of an expired session is written, while its token is tolerated', at(0, 5), 7, TTL, written(TTL)],
  ]
  for (const [what, session, now, userTokenTtlSeconds, renewal] of CASES)
    it(what, () => {
      expect(renewalOf({ ...SESSION, ...session }, { userTokenTtlSeconds }, now)).to.deep.equal(
        renewal === undefined ? none : some(renewal),
      )
    })

  it('moves the expiry of the session, never to an earlier time', () => {
    expect(renewed(SESSION, 1_500, 500)).to.deep.equal({ ...SESSION, ...at(500) })
    expect(renewed(SESSION, 800, 500)).to.deep.equal({ ...SESSION, ...at(500, TTL) })
  })
})
