import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Session } from './session.ts'

/** The problems behind the codes of docs/sessions.md. */
export type RenewalProblem = 'TokenMissing' | 'TokenUnusable' | 'AssuranceTooLow'

/** A renewal that follows another within this time, or within half a token's lifetime if that is shorter, writes nothing. */
export const RENEWAL_KEPT_SECONDS = 60

/** What a renewal gives. */
export type Renewal = Readonly<{
  /** Of the new token. */
  lifetimeSeconds: number
  /** Whether the session's expiry moves. Otherwise the new token expires with the one of the last renewal. */
  isWritten: boolean
}>

/**
 * Returns the renewal of a live session: its new token lives `userTokenTtlSeconds`, and never beyond the end of the session. None if
 * the session has reached its end.
 *
 * @param nowSeconds a whole number
 */
export const renewalOf = (
  session: Session,
  { userTokenTtlSeconds: ttl }: Readonly<{ userTokenTtlSeconds: number }>,
  nowSeconds: number,
): Option<Renewal> => {
  const left = session.endsAtSeconds - nowSeconds
  if (left <= 0) return none
  const ofLastRenewal = session.expiresAtSeconds - nowSeconds
  return isRecentlyRenewed(session, ttl, nowSeconds) && ofLastRenewal > 0
    ? some({ lifetimeSeconds: Math.min(ttl, ofLastRenewal, left), isWritten: false })
    : some({ lifetimeSeconds: Math.min(ttl, left), isWritten: true })
}

const isRecentlyRenewed = ({ renewedAtSeconds }: Session, ttl: number, nowSeconds: number): boolean =>
  isSome(renewedAtSeconds) && nowSeconds < renewedAtSeconds.value + Math.min(RENEWAL_KEPT_SECONDS, ttl / 2)

/** Returns the session with a renewal. A former token keeps its own expiry, so that of the session never comes earlier. */
export const renewed = <S extends Pick<Session, 'expiresAtSeconds'>>(
  session: S,
  expiresAtSeconds: number,
  renewedAtSeconds: number,
): S & Pick<Session, 'renewedAtSeconds'> => ({
  ...session,
  expiresAtSeconds: Math.max(session.expiresAtSeconds, expiresAtSeconds),
  renewedAtSeconds: some(renewedAtSeconds),
})
