import { type Command, InvalidArgumentError, Option } from 'commander'
import { isNone } from 'fp-ts/lib/Option.js'
import { MAX_LIFETIME_SECONDS } from '../../domain/lifetimes.ts'
import { type LogCursor, parseLogCursor } from '../../domain/log-cursor.ts'
import { parseRfc3339 } from '../../domain/rfc3339.ts'
import { isRole, type Roles } from '../../domain/roles.ts'

export const json = () => new Option('--json', 'print one JSON object and nothing else').default(false)

export const jsonLines = () =>
  new Option('--json', 'print one JSON object per line and nothing else').default(false)

export const yes = () => new Option('--yes', 'create the store also if only .env names it').default(false)

export const passwordStdin = () =>
  new Option(
    '--password-stdin',
    'read the password from standard input, without a byte order mark and one line end (LF or CR LF)',
  )

/** @throws InvalidArgumentError */
export const overlapSeconds = (text: string): number => {
  if (!/^\d{1,9}$/.test(text) || Number(text) > A_YEAR_SECONDS)
    throw new InvalidArgumentError(`It must be a whole number of seconds from 0 to ${A_YEAR_SECONDS}.`)
  return Number(text)
}

/**
 * `default` is the lifetime of the service.
 *
 * @throws InvalidArgumentError
 */
export const lifetime = (text: string): number | 'default' => {
  if (text === 'default') return text
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > MAX_LIFETIME_SECONDS)
    throw new InvalidArgumentError(
      `It must be a whole number of seconds from 1 to ${MAX_LIFETIME_SECONDS}, or default.`,
    )
  return Number(text)
}

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, before: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...before,
  value,
]

/**
 * The same for roles.
 *
 * @throws InvalidArgumentError
 */
export const collectRoles = (role: string, before: Roles = []): Roles => {
  if (!isRole(role))
    throw new InvalidArgumentError(
      'A role has 1 to 64 letters, digits and ._:/- and begins with a letter or digit.',
    )
  return collect(role, before)
}

/** Refuses a second value of each option that takes only one. Commander would forget the first without a word. */
export const refuseRepeated = (command: Command): void => {
  const singleValued = command.options.filter(
    ({ required, variadic, parseArg }) =>
      required && !variadic && parseArg !== collect && parseArg !== collectRoles,
  )
  for (const option of singleValued) {
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' can be given only once`)
      isGiven = true
    })
  }
  command.commands.forEach(refuseRepeated)
}

/** @throws InvalidArgumentError */
export const port = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 1 to 65535.')
  return Number(text)
}

/** @throws InvalidArgumentError */
export const limit = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
  return Number(text)
}

/** @throws InvalidArgumentError */
export const cursor = (text: string): LogCursor => {
  const parsed = parseLogCursor(text)
  if (isNone(parsed))
    throw new InvalidArgumentError(
      'It must be a position (a whole number from 0) or EPOCH:POSITION, for example 3fa81c02:1234.',
    )
  return parsed.value
}

/**
 * Returns the seconds since the epoch of a date or a time.
 *
 * @throws InvalidArgumentError
 */
export const date = (text: string): number => {
  const parsed = parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  if (isNone(parsed))
    throw new InvalidArgumentError(
      'It must be a date or a time (RFC 3339), for example 2025-11-22 or 2025-11-22T08:00:00Z.',
    )
  return parsed.value
}

/**
 * Returns the milliseconds since the epoch of a date or a time.
 *
 * @throws InvalidArgumentError
 */
export const time = (text: string): number => {
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  return date(text) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

/** What `date` and `time` take, as help texts say it. */
export const A_TIME = '(RFC 3339; a date means 00:00 UTC)'

export const A_DAY_SECONDS = 24 * 3600
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/**
 * The path of a file that a command creates.
 *
 * @throws InvalidArgumentError
 */
export const newFile = (path: string): string => {
  if (path === '-')
    throw new InvalidArgumentError(
      'It must be the path of a new file. An export is never written to standard output, which a terminal or a log may keep.',
    )
  return path
}

/** The end of a help text. */
export const examples = (...commands: ReadonlyArray<string>): string =>
  ['', 'Examples:', ...commands.map((command) => `  ${command}`)].join('\n')
