import { isEmail } from './user.ts'

/**
 * Returns the context-specific words (NIST SP 800-63B-4 §3.1.1.2) that do not count towards the strength of a password.
 * They come from the user's e-mail and the service's names, whole and split into words, in lower case, longest first.
 *
 * @param email a malformed one adds no words, because no user can have it
 * @param services names and host names of the service
 */
export const contextNames = (
  email: string | undefined,
  services: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const address = email !== undefined && isEmail(email) ? email.toLowerCase() : ''
  const [local = '', domain = ''] = address.split('@')
  const hosts = [domain, ...services.map((service) => service.toLowerCase())]
  const words = [local, ...hosts.map(withoutTopLevel)].flatMap((text) => [
    ...text.split(/[^a-z0-9]+/),
    ...text.split(/[^a-z]+/), // `ada` of ada1815@example.com
  ])
  const names = [address, local, ...hosts, ...words].filter(
    (name) => name.length >= MIN_NAME && (/[a-z]/.test(name) || hosts.includes(name)), // a host may be an IP address
  )
  return [...new Set(names)].sort((one, other) => other.length - one.length)
}

/**
 * Returns a password without the names, and whether it contained any. A name matches forwards and backwards, in any case, and
 * with digits and signs in place of similar letters.
 */
export const withoutNames = (
  password: string,
  names: ReadonlyArray<string>,
): Readonly<{ rest: string; hasNames: boolean }> => {
  const text = [...password].slice(0, SEARCHED_CODE_POINTS).join('')
  const normalized = normalize(text)
  const removed: Array<boolean> = Array(text.length).fill(false)
  const isEdge = (place: number): boolean => removed[place] === true || !/\p{L}/u.test(text[place] ?? '')
  const isName = (begin: number, end: number): boolean =>
    end - begin >= MIN_NAME_IN_WORDS || (isEdge(begin - 1) && isEdge(end))

  for (const name of names.map(normalize).flatMap((each) => [each, [...each].reverse().join('')])) {
    for (let begin = normalized.indexOf(name); begin >= 0; begin = normalized.indexOf(name, begin + 1)) {
      const end = begin + name.length
      if (isName(begin, end)) removed.fill(true, begin, end)
    }
  }
  return removed.includes(true)
    ? { rest: remaining(text, removed), hasNames: true }
    : { rest: password, hasNames: false }
}

const remaining = (text: string, removed: ReadonlyArray<boolean>): string =>
  text
    .split('')
    .filter((_, place) => !removed[place])
    .join('')

/** Half of all words contain shorter names, such as `de`. */
const MIN_NAME = 3

/** A name of three letters matches only as a whole word: `channel` contains `ann` by chance. */
const MIN_NAME_IN_WORDS = 4

/** More than two e-mail addresses. Estimators read no further, and a search of 16 KiB takes too long. */
const SEARCHED_CODE_POINTS = 512

/** Removes the top-level domain: `com` and `org` name no person or service. */
const withoutTopLevel = (host: string): string => host.replace(/\.[^.]*$/, '')

/** Replaces digits and signs with the letters that they resemble. The length stays the same. */
const normalize = (text: string): string =>
  text.replace(/[A-Z0-9@!|$+l]/g, (character) => LETTER_OF[character] ?? character.toLowerCase())

const LETTER_OF: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  l: 'i', // `1` can mean `i` or `l`, so both become `i`
  L: 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '6': 'g',
  '9': 'g',
  '7': 't',
  '+': 't',
  '8': 'b',
}
