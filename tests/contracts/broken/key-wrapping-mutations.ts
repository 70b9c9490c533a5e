import { isRight, left } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { aesKeyWrapping } from '../../../adapters/node/key-wrapping.ts'
import type { KeyWrapping, WrappedKey } from '../../../application/ports/key-wrapping.ts'
import { type KeyEncryptionKeyName, MATERIALS, OTHERS, STATES } from '../../testkit/key-wrapping.ts'
import type { PortMutation } from './port-mutations.ts'

/** A wrapping that records the keys it was opened with. */
export type Keyed = KeyWrapping & Readonly<{ keys: ReadonlyArray<KeyEncryptionKeyName> }>

export const keyed = (keys: ReadonlyArray<KeyEncryptionKeyName>): Keyed => ({
  ...aesKeyWrapping(keys.map((id) => ({ id, secret: `a secret of the ${id} key-encryption key` }))),
  keys,
})

const statesBut = (state: string): ReadonlyArray<string> =>
  STATES.filter(([, , , one]) => one !== state).map(([what, , , one]) => `calls ${what} ${one}`)

const toward = (good: KeyWrapping, alter: (about: WrappedKey) => WrappedKey): KeyWrapping => ({
  ...good,
  wrap: (material, about) => good.wrap(material, alter(about)),
  unwrap: (stored, about) => good.unwrap(stored, alter(about)),
  assess: (stored, about) => good.assess(stored, alter(about)),
})

const isPlain = (good: KeyWrapping, stored: string, about: WrappedKey): boolean => {
  const outcome = good.unwrap(stored, about)
  return isRight(outcome) && outcome.right === stored
}

const cannot = (reason: string) => left({ _tag: 'CannotUnwrap' as const, reason })

const ANY_ANSWER = 'answers for any stored text, and assesses it alike'
const DIFFERENT_NAMES = 'names the key that it wraps with, and different keys differently'
const HIDDEN = 'does not show the material, plain or encoded'
const LACKING = 'without the key of stored material says which is missing, and nothing secret'
const OF_BEFORE = 'unwraps what was wrapped under a key of before'
const STORABLE = 'writes a text that a store can hold'
const WITHOUT_A_KEY = 'without a key leaves material as it is, and names none'

let opened = 0

export const KEY_WRAPPING_MUTATIONS: ReadonlyArray<PortMutation<Keyed>> = [
  ...MATERIALS.map(
    ([what, material]): PortMutation<Keyed> => [
      `alters ${what}`,
      (good) => ({ wrap: (one, about) => good.wrap(one === material ? `${one.slice(1)}?` : one, about) }),
      `unwraps what it wrapped: ${what}`,
    ],
  ),
  [
    'adds a private part to its key',
    (good) => {
      opened += 1
      const own = String(opened)
      return toward(good, (about) => ({ ...about, kid: own }))
    },
    'unwraps what another wrapping with the same key wrapped',
    OF_BEFORE,
    'wraps under the first of its keys',
  ],
  [
    'wraps alike what is alike',
    (good) => {
      const wrapped = new Map<string, string>()
      return {
        wrap: (material, about) => {
          const stored = wrapped.get(material) ?? good.wrap(material, about)
          wrapped.set(material, stored)
          return stored
        },
      }
    },
    'wraps the same material differently each time',
  ],
  ...(['utf8', 'base64url', 'hex'] as const).map(
    (encoding): PortMutation<Keyed> => [
      `shows the material in ${encoding}`,
      (good) => ({
        wrap: (material, about) => good.wrap(material, about) + Buffer.from(material).toString(encoding),
      }),
      HIDDEN,
    ],
  ),
  ['writes a NUL', (good) => ({ wrap: (...asked) => `${good.wrap(...asked)}\0` }), STORABLE],
  [
    'ignores the key id',
    (good) => toward(good, (about) => ({ ...about, kid: '' })),
    `does not unwrap for ${OTHERS[0]?.[0]}`,
  ],
  [
    'ignores the purpose',
    (good) => toward(good, (about) => ({ ...about, purpose: 'user' })),
    `does not unwrap for ${OTHERS[1]?.[0]}`,
    `does not unwrap for ${OTHERS[2]?.[0]}`,
  ],
  [
    'knows signing keys only',
    (good) => ({
      unwrap: (stored, about) => (about.purpose === 'totp' ? cannot('a factor') : good.unwrap(stored, about)),
    }),
    'unwraps the secret of a factor',
  ],
  ['names no key', () => ({ keyEncryptionKeyId: none }), DIFFERENT_NAMES, LACKING],
  [
    'accepts no plain material',
    (good) => ({
      unwrap: (stored, about) =>
        isPlain(good, stored, about) ? cannot('plain') : good.unwrap(stored, about),
    }),
    'takes material that is not wrapped as its own plain text',
  ],
  [
    'wraps under its own key if it was given none',
    (good) => ({ wrap: good.keys.length === 0 ? keyed(['first']).wrap : good.wrap }),
    WITHOUT_A_KEY,
  ],
  ['calls everything current', () => ({ assess: () => 'current' }), ...statesBut('current'), ANY_ANSWER],
  ['calls everything outdated', () => ({ assess: () => 'outdated' }), ...statesBut('outdated'), ANY_ANSWER],
]
