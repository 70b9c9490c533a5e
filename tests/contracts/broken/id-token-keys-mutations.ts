import { isRight, right } from 'fp-ts/lib/Either.js'
import type { IdTokenKey, IdTokenKeys } from '../../../application/ports/id-token-keys.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { OTHER_KEYS } from '../../testkit/id-token-keys.ts'
import type { PortMutation } from './port-mutations.ts'

type Row = PortMutation<IdTokenKeys>

/** Every key that loads is altered. */
const altering =
  (alter: (key: IdTokenKey) => IdTokenKey) =>
  (good: IdTokenKeys): Partial<IdTokenKeys> => ({
    load: (key) => {
      const outcome = good.load(key)
      return isRight(outcome) ? right(alter(outcome.right)) : outcome
    },
  })

const making =
  (alter: (made: Made) => Made) =>
  (good: IdTokenKeys): Partial<IdTokenKeys> => ({ createKey: async () => alter(await good.createKey()) })

type Made = Pick<SigningKey, 'kid' | 'material'>

const PUBLISHED = 'publishes RSA with 2048 bits for RS256, and no secret member'
const STORABLE = 'makes texts that a store can hold, and that do not begin as encrypted ones do'
const LOADS = [
  PUBLISHED,
  'names a key by the thumbprint of its public key',
  'signs with the private key what the public key verifies',
]

export const ID_TOKEN_KEYS_MUTATIONS: ReadonlyArray<Row> = [
  [
    'makes one key only',
    (good) => {
      const made = good.createKey()
      return { createKey: () => made }
    },
    'makes another key each time, also concurrently',
  ],
  ['writes a NUL', making(({ kid, material }) => ({ kid, material: `${material}\0` })), STORABLE, ...LOADS],
  [
    'writes what looks encrypted',
    making(({ kid, material }) => ({ kid, material: `wrapped.${material}` })),
    STORABLE,
    ...LOADS,
  ],
  ['publishes the private key', altering((key) => ({ ...key, publicJwk: key.privateJwk })), PUBLISHED],
  [
    'publishes another algorithm',
    altering((key) => ({ ...key, publicJwk: { ...key.publicJwk, alg: 'PS256' as 'RS256' } })),
    PUBLISHED,
  ],
  [
    'names the key otherwise in its parts',
    altering((key) => ({ ...key, privateJwk: { ...key.privateJwk, kid: 'other' } })),
    'names a key by the thumbprint of its public key',
  ],
  [
    'ignores the purpose',
    (good) => ({ load: (key) => good.load({ ...key, purpose: 'id_token' }) }),
    'loads no key of another purpose',
  ],
  [
    'remembers a key by its id alone',
    (good) => {
      const known = new Map<string, IdTokenKey>()
      return {
        load: (key) => {
          const outcome = good.load(key)
          if (isRight(outcome)) known.set(key.kid, outcome.right)
          const found = known.get(key.kid)
          return found === undefined ? outcome : right(found)
        },
        createKey: async () => {
          const made = await good.createKey()
          const loaded = good.load({ ...BASE, ...made })
          if (isRight(loaded)) known.set(made.kid, loaded.right)
          return made
        },
      }
    },
    'loads no key under the id of another one',
    'loads no key of another purpose',
    'loads nothing from other material, and the key itself beside it',
    ...OTHER_KEYS.map(([what]) => `loads nothing from ${what}`),
  ],
]

const BASE = { purpose: 'id_token' } as SigningKey
