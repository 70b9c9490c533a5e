import { isEmail } from './user.ts'

/**
 * The names that a password is not to be built from: the e-mail address of its user and the names of the service,
 * whole and in their words, in lower case, the longest first.
 *
 * @param email no names come of one that is no address: nobody is registered with it
 * @param services names and host names
 */
export const namesAround = (
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
 * What is left of a password when all names are taken away, forwards and backwards, in any case, and with digits and
 * signs in the place of letters that look like them; and whether there were any.
 */
export const withoutNames = (
  password: string,
  names: ReadonlyArray<string>,
): Readonly<{ rest: string; hasNames: boolean }> => {
  const text = [...password].slice(0, SEARCHED_CODE_POINTS).join('')
  const read = asRead(text)
  const taken: Array<boolean> = Array(text.length).fill(false)
  const isEdge = (place: number): boolean => taken[place] === true || !/\p{L}/u.test(text[place] ?? '')
  const isName = (begin: number, end: number): boolean =>
    end - begin >= MIN_NAME_IN_WORDS || (isEdge(begin - 1) && isEdge(end))

  for (const name of names.map(asRead).flatMap((each) => [each, [...each].reverse().join('')])) {
    for (let begin = read.indexOf(name); begin >= 0; begin = read.indexOf(name, begin + 1)) {
      const end = begin + name.length
      if (isName(begin, end)) taken.fill(true, begin, end)
    }
  }
  return taken.includes(true)
    ? { rest: kept(text, taken), hasNames: true }
    : { rest: password, hasNames: false }
}

const kept = (text: string, taken: ReadonlyArray<boolean>): string =>
  text
    .split('')
    .filter((_, place) => !taken[place])
    .join('')

/** Shorter ones, such as `de`, are in half of all words. */
const MIN_NAME = 3

/** A name of three letters is taken for one only where it stands by itself: `ann` is in `channel` by chance. */
const MIN_NAME_IN_WORDS = 4

/** More than twice an e-mail address: an estimator looks at no more than that, and a search of 16 KiB takes its time. */
const SEARCHED_CODE_POINTS = 512

/** `com` and `org` are no names of anybody. */
const withoutTopLevel = (host: string): string => host.replace(/\.[^.]*$/, '')

/** A text as somebody reads it who knows what is written in the place of letters. It is as long as before. */
const asRead = (text: string): string =>
  text.replace(/[A-Z0-9@!|$+l]/g, (character) => READ_AS[character] ?? character.toLowerCase())

const READ_AS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  l: 'i', // for `1` may be either
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
