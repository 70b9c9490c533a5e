import type { EarlyDeletion } from '../../application/log/clock-ahead.ts'

/** What to do about rows that disagree with the log. Without a back-up, rows that a wrong clock has deleted are soon made again. */
export const logAdvice = (early: EarlyDeletion | undefined): string => {
  if (early === undefined) return RESTORE
  const { tables, clock } = early
  const replace = tables.includes('revoked_tokens') ? ` ${REPLACE_KEYS}` : ''
  return clock === undefined
    ? `If the clock was ahead when a server started, that server has deleted them too early. ${REPEAT}${replace} Otherwise something else has deleted them: restore a back-up.`
    : `A clock was ${spanOf(clock.seconds)} ahead at position ${clock.position}, so a server has deleted them too early. Correct the clock, then restart the servers. Restore nothing. ${REPEAT}${replace}`
}

const RESTORE = 'Restore a back-up.'
const REPEAT = 'Users sign in again and ask for new links.'
const REPLACE_KEYS = 'Revoked tokens are valid again: portcullis keys rotate --purpose application --leaked'

/** About this time, in its largest unit. */
const spanOf = (seconds: number): string => {
  const [size, unit] = UNITS.find(([least]) => seconds >= 2 * least) ?? [60, 'minutes']
  return `${Math.round(seconds / size)} ${unit}`
}

const UNITS = [
  [24 * 3600, 'days'],
  [3600, 'hours'],
] as const
