import { base64url, bytesOf } from './forge.ts'

/** A random number below the argument. Each seed has its own sequence. */
export type Random = (below: number) => number

/** Mulberry32: small, fast, and equal on every machine. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Mutates a token, in some cases with parts of another valid token. */
export type Mutation = (token: string, other: string, random: Random) => string

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const OTHERS = '.=+/ ~?%"{}\n\0\u00e9\u0141\uff0e'

const oneOf = <T>(all: ArrayLike<T>, random: Random): T => {
  const one = all[random(all.length)]
  if (one === undefined) throw new Error('one of none')
  return one
}

const aCharacter = (random: Random): string => oneOf(random(8) === 0 ? OTHERS : ALPHABET, random)

/** A random place, most often near an end of a part, where encodings have edge cases. */
const place = (token: string, random: Random): number => {
  if (random(3) > 0) return random(token.length)
  const dots = [...token.matchAll(/\./g)].map(({ index }) => index)
  return Math.max(0, Math.min(token.length - 1, oneOf([0, token.length, ...dots], random) + random(5) - 2))
}

const spliced = (token: string, at: number, drop: number, put: string): string =>
  token.slice(0, at) + put + token.slice(at + drop)

const withPart =
  (change: (part: string, random: Random) => string): Mutation =>
  (token, _, random) => {
    const parts = token.split('.')
    const at = random(parts.length)
    return parts.with(at, change(parts[at] ?? '', random)).join('.')
  }

/** The signature is at the end of a JWT's last part and of a PASETO's third part. */
const SIGNATURE_BYTES = 64

type Json = Readonly<Record<string, unknown>>

/** The strings in a token, each with its part and the text after it. */
const textsIn = (parts: ReadonlyArray<string>) =>
  parts.flatMap((part, at) =>
    [bytesOf(part), bytesOf(part).subarray(0, -SIGNATURE_BYTES)].flatMap((bytes) => {
      try {
        const json: unknown = JSON.parse(bytes.toString())
        if (typeof json !== 'object' || json === null) return []
        return { at, json: json as Json, text: bytes.toString(), rest: bytesOf(part).subarray(bytes.length) }
      } catch {
        return []
      }
    }),
  )

const VALUES: ReadonlyArray<unknown> = [
  ...[
    '',
    'none',
    'HS256',
    'admin',
    'users:sign_in users:register',
    '9999-12-31T23:59:59Z',
    null,
    true,
    [],
    {},
  ],
  ...[0, -1, 2 ** 53 - 1],
]

const EDITS: ReadonlyArray<(json: Json, text: string, random: Random) => string> = [
  (json, _, random) => JSON.stringify({ ...json, [oneOf(Object.keys(json), random)]: oneOf(VALUES, random) }),
  (json, _, random) => {
    const { [oneOf(Object.keys(json), random)]: _left, ...others } = json
    return JSON.stringify(others)
  },
  (json, _, random) =>
    JSON.stringify({
      ...json,
      [oneOf(['nbf', 'aud', 'jku', 'crit', 'admin'], random)]: oneOf(VALUES, random),
    }),
  (json) => JSON.stringify(Object.fromEntries(Object.entries(json).reverse())),
  (json, _, random) => JSON.stringify(json, undefined, 1 + random(4)),
  (json, _, random) => {
    const name = oneOf(Object.keys(json), random)
    return JSON.stringify({ ...json, [name]: aCharacter(random) + String(json[name]).slice(1) })
  },
  (_, text, random) =>
    spliced(text, random(text.length), 0, oneOf([' ', '\n', '\\u0020', ',', '"x":1,', '\ufeff'], random)),
  (_, text, random) =>
    text.replace('{', `{"${oneOf(['sub', 'alg', 'kid', 'exp', '__proto__'], random)}":"x",`),
  (_, text) => `${text} `,
]

const editJson: Mutation = (token, _, random) => {
  const parts = token.split('.')
  const { at, json, text, rest } = oneOf(textsIn(parts), random)
  const edited = oneOf(EDITS, random)(json, text, random)
  return parts.with(at, base64url(Buffer.concat([Buffer.from(edited), rest]))).join('.')
}

const flipBits = (bytes: Buffer, random: Random): Buffer => {
  for (let flips = 1 + random(3); flips > 0; flips -= 1) {
    const at = random(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
  }
  return bytes
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'another character': (token, _, random) => spliced(token, place(token, random), 1, aCharacter(random)),
  'a bit of a character': (token, _, random) => {
    const at = place(token, random)
    return spliced(token, at, 1, String.fromCharCode(token.charCodeAt(at) ^ (1 << random(7))))
  },
  'another case': (token, _, random) => {
    const at = place(token, random)
    const letter = token.charAt(at)
    return spliced(
      token,
      at,
      1,
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
  },
  'a cut': (token, _, random) => spliced(token, place(token, random), 1 + random(8), ''),
  'the end cut off': (token, _, random) => token.slice(0, -1 - random(90)),
  'something put in': (token, _, random) =>
    spliced(
      token,
      place(token, random),
      0,
      Array.from({ length: 1 + random(4) }, () => aCharacter(random)).join(''),
    ),
  'two characters exchanged': (token, _, random) => {
    const [one, two] = [place(token, random), random(4) === 0 ? random(token.length) : 0]
    const other = two === 0 ? Math.min(one + 1, token.length - 1) : two
    return spliced(spliced(token, one, 1, token.charAt(other)), other, 1, token.charAt(one))
  },
  'a stretch doubled': (token, _, random) => {
    const [at, length] = [place(token, random), 1 + random(40)]
    return spliced(token, at, 0, token.slice(at, at + length))
  },
  'a part doubled, lost, emptied or moved': (token, _, random) => {
    const parts = token.split('.')
    const at = random(parts.length)
    const part = parts[at] ?? ''
    return oneOf(
      [
        parts.toSpliced(at, 0, part),
        parts.toSpliced(at, 1),
        parts.with(at, ''),
        parts.toSpliced(at, 1).toSpliced(random(parts.length), 0, part),
      ],
      random,
    ).join('.')
  },
  'two tokens put together': (token, other, random) => {
    const at = place(token, random)
    return token.slice(0, at) + other.slice(random(2) === 0 ? at : random(other.length))
  },
  'a part of another token': (token, other, random) => {
    const [parts, theirs] = [token.split('.'), other.split('.')]
    return parts.with(random(parts.length), oneOf(theirs, random)).join('.')
  },
  'a part written otherwise': withPart((part, random) =>
    oneOf(
      [
        () => `${part}=`,
        () => `${part}==`,
        () => part.replaceAll('-', '+').replaceAll('_', '/'),
        () => base64url(part),
        () => bytesOf(part).toString('hex'),
        () => encodeURIComponent(part).replace(/[A-Z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        () => part.slice(0, -1) + oneOf(ALPHABET, random),
        () => base64url(Buffer.concat([bytesOf(part), Buffer.alloc(1 + random(2))])),
      ],
      random,
    )(),
  ),
  'bits of its bytes': withPart((part, random) =>
    bytesOf(part).length === 0 ? aCharacter(random) : base64url(flipBits(bytesOf(part), random)),
  ),
  'bits of its signature': (token, _, random) => {
    const parts = token.split('.')
    const at = 2
    const bytes = bytesOf(parts[at] ?? '')
    const [message, signature] = [bytes.subarray(0, -SIGNATURE_BYTES), bytes.subarray(-SIGNATURE_BYTES)]
    return parts.with(at, base64url(Buffer.concat([message, flipBits(signature, random)]))).join('.')
  },
  'an edit of its JSON': editJson,
}
