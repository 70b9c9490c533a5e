import { none, type Option, some } from 'fp-ts/lib/Option.js'

/**
 * Returns the seconds since the epoch of a time in RFC 3339, for example `2024-05-01T12:00:00Z` or `2024-05-01 14:00:00.5+02:00`.
 * A fraction of a second is dropped. A leap second is not accepted.
 */
export const parseRfc3339 = (text: string): Option<number> => {
  const found = FORM.exec(text)
  if (found === null) return none
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as Six
  const [offsetHour, offsetMinute] = [Number(found[8] ?? 0), Number(found[9] ?? 0)]
  const sign = found[7] === '-' ? -1 : 1
  const isTime = day >= 1 && day <= daysIn(year, month) && hour < 24 && minute < 60 && second < 60 // 0 days in a wrong month
  if (!isTime || offsetHour > 23 || offsetMinute > 59) return none
  const minutes = (daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute
  return some((minutes - sign * (offsetHour * 60 + offsetMinute)) * 60 + second)
}

/** A time in RFC 3339: UTC, with milliseconds. */
export const rfc3339OfMilliseconds = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const rfc3339OfSeconds = (seconds: number): string => rfc3339OfMilliseconds(seconds * 1000)

type Six = [number, number, number, number, number, number]

/** RFC 3339 §5.6. It allows a space for the `T`, and lower case. */
const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/

const daysIn = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0)

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The Gregorian calendar, in which each 400 years have 146,097 days. A year begins in March here, so that a leap day is its last. */
const daysSinceEpoch = (year: number, month: number, day: number): number => {
  const years = month > 2 ? year : year - 1
  const months = (month + 9) % 12
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  return years * 365 + leapDays + Math.floor((153 * months + 2) / 5) + day - 1 - 719_468
}
