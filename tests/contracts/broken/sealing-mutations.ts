import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import { isNonEmpty } from 'fp-ts/lib/ReadonlyArray.js'
import { aesSealing } from '../../../adapters/node/sealing.ts'
import type { Timer } from '../../../application/ports/environment.ts'
import type { SealedFor, Sealing } from '../../../application/ports/sealing.ts'
import type { KeyEncryptionKeyName } from '../../testkit/key-wrapping.ts'
import { ABOUTS, ENCODINGS, LIFE, NEVER_SEALED, OTHERS, STATE, TEXTS } from '../../testkit/sealing.ts'
import type { PortMutation } from './port-mutations.ts'

/** A sealing that records what it was opened with. */
export type Sealed = Sealing &
  Readonly<{ keys: ReadonlyArray<KeyEncryptionKeyName>; timer: Pick<Timer, 'now'> }>

export const sealingWith = (keys: ReadonlyArray<KeyEncryptionKeyName>, timer: Sealed['timer']): Sealed => {
  const secrets = keys.map((id) => ({ secret: `a secret of the ${id} key-encryption key` }))
  if (!isNonEmpty(secrets)) throw new Error('the suite asks for a sealing without keys')
  return { ...aesSealing(secrets, timer), keys, timer }
}

const toward = (good: Sealing, alter: (about: SealedFor) => SealedFor): Sealing => ({
  seal: (text, about, life) => good.seal(text, alter(about), life),
  open: (sealed, about, life) => good.open(sealed, alter(about), life),
})

/** Opens also what another reading of the sealed text opens. */
const reading = (good: Sealing, read: (sealed: string) => string): Pick<Sealing, 'open'> => ({
  open: (sealed, about, life) => {
    const opened = good.open(sealed, about, life)
    return isNone(opened) ? good.open(read(sealed), about, life) : opened
  },
})

const isSame = (one: SealedFor, other: SealedFor): boolean => JSON.stringify(one) === JSON.stringify(other)

const decoded = (sealed: string): string => Buffer.from(sealed, 'base64url').toString('base64url')
const inEncoding = (...at: ReadonlyArray<number>): ReadonlyArray<string> =>
  at.map((index) => `does not open in another encoding: ${ENCODINGS[index]?.[0]}`)
const forOther = (...at: ReadonlyArray<number>): ReadonlyArray<string> =>
  at.map((index) => `does not open for ${OTHERS[index]?.[0]}`)

const HIDDEN = 'shows neither the text nor what it is for, plain or encoded'
const OF_BEFORE = 'opens what was sealed under a key of before, in its first ten minutes'
const LONGER = 'opens no state of a longer life under a key of before'
const ANY_TIME = 'opens under the first of its keys at any time, and for any life'
const OF_FIRST = 'seals under the first of its keys'

/** Seals without a key. */
const unkeyed: Pick<Sealing, 'seal' | 'open'> = {
  seal: (text) => Buffer.from(`${Math.random()} ${text}`).toString('base64url'),
  open: (sealed): Option<string> => {
    const text = Buffer.from(sealed, 'base64url').toString()
    return text.includes(' ') ? some(text.slice(text.indexOf(' ') + 1)) : none
  },
}

let opened = 0

export const SEALING_MUTATIONS: ReadonlyArray<PortMutation<Sealed>> = [
  ...TEXTS.filter(([, text]) => text !== '').map(
    ([what, text]): PortMutation<Sealed> => [
      `alters ${what}`,
      (good) => ({
        seal: (one, about, life) => good.seal(one === text ? `${one.slice(1)}?` : one, about, life),
      }),
      `opens what it sealed: ${what}`,
    ],
  ),
  [
    'takes an empty text for none',
    (good) => ({
      open: (sealed, about, life) => {
        const text = good.open(sealed, about, life)
        return isNone(text) || text.value === '' ? none : text
      },
    }),
    'opens what it sealed: an empty text',
  ],
  ...ABOUTS.map(
    ([what, refused]): PortMutation<Sealed> => [
      `opens nothing that is for ${what}`,
      (good) => ({
        open: (sealed, about, life) => (isSame(about, refused) ? none : good.open(sealed, about, life)),
      }),
      `opens what it sealed for ${what}`,
    ],
  ),
  [
    'adds a private part to its key',
    (good) => {
      opened += 1
      const own = String(opened)
      return toward(good, (about) => [own, ...about])
    },
    'opens what another sealing with the same key sealed',
    OF_BEFORE,
    OF_FIRST,
  ],
  [
    'opens once',
    (good) => {
      const seen = new Set<string>()
      return {
        open: (sealed, about, life) => {
          const isSecond = seen.has(sealed)
          seen.add(sealed)
          return isSecond ? none : good.open(sealed, about, life)
        },
      }
    },
    'opens any number of times',
  ],
  [
    'opens no long life',
    (good) => ({ open: (sealed, about, life) => (life > LIFE ? none : good.open(sealed, about, life)) }),
    ANY_TIME,
  ],
  [
    'ignores the life',
    (good) => ({
      seal: (text, about) => good.seal(text, about, LIFE),
      open: (sealed, about) => good.open(sealed, about, LIFE),
    }),
    'does not open for another life',
    LONGER,
  ],
  [
    'seals alike what is alike',
    (good) => {
      const sealed = new Map<string, string>()
      return {
        seal: (text, about, life) => {
          const made = sealed.get(text) ?? good.seal(text, about, life)
          sealed.set(text, made)
          return made
        },
      }
    },
    'seals the same text differently each time',
  ],
  [
    'writes base64',
    (good) => ({
      seal: (text, about, life) => Buffer.from(good.seal(text, about, life), 'base64url').toString('base64'),
      open: (sealed, about, life) => good.open(decoded(sealed), about, life),
    }),
    'writes base64url without padding',
  ],
  ['encodes without a key', () => unkeyed, 'does not open without the key', HIDDEN],
  ['ignores the purpose', (good) => toward(good, ([, ...rest]) => rest), ...forOther(0)],
  ['sorts the parts', (good) => toward(good, (about) => [...about].sort()), ...forOther(3)],
  ['joins the parts', (good) => toward(good, (about) => [about.join('')]), ...forOther(4)],
  ['joins the parts with commas', (good) => toward(good, (about) => [about.join(',')]), ...forOther(5)],
  ['joins the parts with spaces', (good) => toward(good, (about) => [about.join(' ')]), ...forOther(6)],
  ['reads three parts', (good) => toward(good, (about) => about.slice(0, 3)), ...forOther(7)],
  ['leaves out empty parts', (good) => toward(good, (about) => about.filter(Boolean)), ...forOther(8)],
  [
    'ignores case',
    (good) => toward(good, (about) => about.map((part) => part.toLowerCase())),
    ...forOther(9),
  ],
  ['ignores what it is for', (good) => toward(good, () => []), ...forOther(0, 1, 2, 9, 10)],
  [
    'does not authenticate',
    (good) => {
      const sealed = new Map<string, string>()
      return {
        seal: (text, about, life) => {
          const made = good.seal(text, about, life)
          sealed.set(made.slice(0, 16), made)
          return made
        },
        open: (text, about, life) => good.open(sealed.get(text.slice(0, 16)) ?? text, about, life),
      }
    },
    'does not open after a change of any bit',
    'does not open what is cut short, or longer',
  ],
  ['decodes leniently', (good) => reading(good, decoded), ...inEncoding(0, 1, 2, 3, 4, 5, 6)],
  [
    'reads hexadecimal too',
    (good) => reading(good, (sealed) => Buffer.from(sealed, 'hex').toString('base64url')),
    ...inEncoding(7),
  ],
  ...NEVER_SEALED.map(
    ([what, text]): PortMutation<Sealed> => [
      `takes for sealed: ${what}`,
      (good) => ({
        open: (sealed, about, life) => (sealed === text ? some(STATE) : good.open(sealed, about, life)),
      }),
      `does not open what was never sealed: ${what}`,
    ],
  ),
]
