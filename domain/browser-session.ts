import { getOrElse } from 'fp-ts/lib/Option.js'
import type { Session } from './session.ts'

/** A page renews the session of its browser at most once in this time. */
const RENEWED_AT_MOST_EVERY_SECONDS = 60

/**
 * Whether a page renews the session of its browser now: in the second half of its life, so that most pages write nothing. A session that
 * cannot live longer is not renewed.
 */
export const renewsCookie = (session: Session, nowSeconds: number): boolean => {
  const beganAtSeconds = getOrElse(() => session.createdAtSeconds)(session.renewedAtSeconds)
  const half = (session.expiresAtSeconds - beganAtSeconds) / 2
  return (
    session.expiresAtSeconds < session.endsAtSeconds &&
    nowSeconds >= beganAtSeconds + half &&
    nowSeconds >= beganAtSeconds + RENEWED_AT_MOST_EVERY_SECONDS
  )
}
