import { caughtBy } from './harness.ts'
import { type MutateFormat, mistaking, throwing } from './tokens.ts'

const caught = caughtBy<MutateFormat>

const refuses = (...whats: ReadonlyArray<string>) => whats.map((what) => `a token is invalid ${what}`)
const CASE = 'with any one letter in another case'
const MORE = 'with anything before or behind it'

/** The number of places in which two lists differ. */
const distance = (one: ArrayLike<string>, other: ArrayLike<string>): number =>
  Array.from(one).filter((part, index) => part !== other[index]).length
const oneLess = (text: string): Array<string> =>
  Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1))
const partsOf = (token: string): Array<string> => token.split('.')
const inAnyOrder = (token: string): string => partsOf(token).filter(Boolean).sort().join()
const bytesIn = (token: string): string =>
  partsOf(token)
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.')

/** Confuses a token with a similar signed one. */
const takingFor = (
  isLike: (token: string, one: string, signed: ReadonlyArray<string>) => boolean,
): MutateFormat => mistaking((token, signed) => signed.find((one) => isLike(token, one, signed)))

const OF_CHANGED_TOKENS = [
  ...caught(refuses('with any one character changed', CASE), {
    'ignores one wrong character': takingFor(
      (token, one) => one.length === token.length && distance(one, token) === 1,
    ),
  }),
  ...caught(refuses(CASE), {
    'ignores case': takingFor((token, one) => one.toLowerCase() === token.toLowerCase()),
  }),
  ...caught(refuses('with any one character left out'), {
    'fills in a missing character': takingFor((token, one) => oneLess(one).includes(token)),
  }),
  ...caught(refuses('with any one character put in'), {
    'ignores one additional character': takingFor((token, one) => oneLess(token).includes(one)),
  }),
  ...caught(refuses('when its end is cut off'), {
    'takes the beginning for the token': takingFor((token, one) => one.startsWith(token)),
  }),
  ...caught(refuses('when its beginning is cut off'), {
    'takes the end for the token': takingFor((token, one) => one.endsWith(token)),
  }),
  ...caught(refuses(MORE), {
    'trims a token': mistaking((token) => token.trim()),
  }),
  ...caught(refuses('in another spelling of the same bytes'), {
    'decodes any spelling of base64': takingFor((token, one) => bytesIn(one) === bytesIn(token)),
  }),
  ...caught(refuses('with a part left out, empty, doubled or moved'), {
    'ignores the order of the parts': takingFor((token, one) => inAnyOrder(one) === inAnyOrder(token)),
  }),
  ...caught(refuses('with a part of another one'), {
    'joins parts of several tokens': takingFor(
      (token, one, signed) =>
        distance(partsOf(one), partsOf(token)) === 1 &&
        partsOf(token).every((part) => signed.join('.').includes(part)),
    ),
  }),
]

const OF_ANSWERS = [
  ...caught(/^a string that is no token is InvalidToken/, {
    'rejects when a token is invalid': throwing('verify'),
  }),
]

export const CHANGED_TOKEN_MUTATIONS = [...OF_CHANGED_TOKENS, ...OF_ANSWERS]
