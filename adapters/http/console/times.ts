import { isNone } from 'fp-ts/lib/Option.js'
import { parseRfc3339 } from '../../../domain/rfc3339.ts'
import { type Html, html } from '../operation/html.ts'

/** Renders a time in UTC, to the second. */
export const timeHtml = (milliseconds: number): Html => {
  const text = new Date(milliseconds).toISOString()
  return html`<time datetime="${text}">${shortTime(milliseconds)}</time>`
}

/** `2026-11-22 09:24:08`, in UTC. */
export const shortTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')

/** `2026-11-22`, in UTC. */
export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

/** `09:00`, in UTC. */
export const hourOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(11, 16)

/**
 * Returns the milliseconds since 1970 of a date or a time (RFC 3339). A date is its midnight in UTC, and a time may lack its seconds and
 * its zone. Undefined for other texts.
 */
export const timeIn = (text: string): number | undefined => {
  const full = /^\d{4}-\d\d-\d\d$/.test(text)
    ? `${text}T00:00:00Z`
    : text.replace(
        /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?Z?$/,
        (_, day, minute, second = ':00') => `${day}T${minute}${second}Z`,
      )
  const parsed = parseRfc3339(full)
  return isNone(parsed) ? undefined : parsed.value * 1000
}

/** How long ago, in its largest unit: `412 days`. */
export const ageText = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 'second']
  const count = Math.floor(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** `12,345` */
export const numberText = (count: number): string => count.toLocaleString('en-US')
