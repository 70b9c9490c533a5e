import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Lifetimes } from './lifetimes.ts'
import type { Session } from './session.ts'

/** The problems behind the codes of docs/sessions.md. */
export type RenewalProblem = 'TokenMissing' | 'TokenUnusable' | 'AssuranceTooLow'

/**
 * Of a session that lives as long as its last token: a renewal that follows another within this time, or within half a token's lifetime
 * if that is shorter, writes nothing.
 */
export const RENEWAL_KEPT_SECONDS = 60

/** Of a session that lives longer than its tokens: a renewal that moves its expiry by less than this share of the idle time writes nothing. */
export const RENEWAL_KEPT_SHARE = 1 / 8

/** What a renewal gives. */
export type Renewal = Readonly<{
  /** Of the new token. */
  lifetimeSeconds: number
  /** Of the session, after the renewal. */
  sessionExpiresAtSeconds: number
  /** Whether the session's expiry moves. */
  isWritten: boolean
}>

/**
 * Returns the renewal of a live session: neither its new token nor its idle time reaches beyond the end of the session. None if the
 * session has reached its end.
 *
 * Renewals that would move the expiry by little write nothing, so that short tokens do not cost a write each. Such a session ends
 * somewhat early, never late.
 *
 * @param nowSeconds a whole number
 */
export const renewalOf = (
  session: Session,
  {
    userTokenTtlSeconds: ttl,
    idleTtlSeconds: idle,
  }: Pick<Lifetimes, 'userTokenTtlSeconds' | 'idleTtlSeconds'>,
  nowSeconds: number,
): Option<Renewal> => {
  const left = session.endsAtSeconds - nowSeconds
  if (left <= 0) return none
  const rest = session.expiresAtSeconds - nowSeconds
  const newRest = Math.min(idle, left)
  const lifetimeSeconds = Math.min(ttl, left)
  const isWritten =
    idle > ttl
      ? rest < lifetimeSeconds || newRest - rest >= idle * RENEWAL_KEPT_SHARE
      : newRest >= rest && !(isRecentlyRenewed(session, ttl, nowSeconds) && rest > 0)
  return some({
    lifetimeSeconds: isWritten ? lifetimeSeconds : Math.min(lifetimeSeconds, rest),
    sessionExpiresAtSeconds: nowSeconds + (isWritten ? newRest : rest),
    isWritten,
  })
}

const isRecentlyRenewed = ({ renewedAtSeconds }: Session, ttl: number, nowSeconds: number): boolean =>
  isSome(renewedAtSeconds) && nowSeconds < renewedAtSeconds.value + Math.min(RENEWAL_KEPT_SECONDS, ttl / 2)

/** Returns the session with a renewal. Its expiry never comes earlier. */
export const renewed = <S extends Pick<Session, 'expiresAtSeconds'>>(
  session: S,
  expiresAtSeconds: number,
  renewedAtSeconds: number,
): S & Pick<Session, 'renewedAtSeconds'> => ({
  ...session,
  expiresAtSeconds: Math.max(session.expiresAtSeconds, expiresAtSeconds),
  renewedAtSeconds: some(renewedAtSeconds),
})
