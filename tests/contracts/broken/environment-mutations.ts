import { randomUUID } from 'node:crypto'
import type { Clock, Digests, Random, Timer } from '../../../application/ports/environment.ts'
import { KNOWN_DIGESTS, KNOWN_HMACS, WAITS } from '../../testkit/environment.ts'
import type { PortMutation } from './port-mutations.ts'

const THIS_CENTURY = 'tells milliseconds since the epoch, of this century'

export const CLOCK_MUTATIONS: ReadonlyArray<PortMutation<{ read: Clock }>> = [
  ['tells nothing', () => ({ read: () => Number.NaN }), THIS_CENTURY],
]

/** A timer whose time passes only while somebody waits. So a slow machine cannot hide a wait that was too short. */
const waiting = (shorterMs: number): Timer => {
  let time = 0
  return {
    now: () => time,
    until: (atMs) => async () => {
      time = Math.max(time, atMs - shorterMs)
    },
  }
}

const PASSES = 'passes'
const waits = WAITS.map(([what]) => `waits until ${what}, and not less`)

export const TIMER_MUTATIONS: ReadonlyArray<PortMutation<Timer>> = [
  ['goes back', ({ now }) => ({ now: () => now() - Math.random() * 100 }), 'never goes back'],
  ['does not wait', () => waiting(Number.POSITIVE_INFINITY), PASSES, ...waits],
  [
    'waits for what is over',
    ({ now, until }) => ({
      until: (atMs) => (atMs <= now() ? () => new Promise(() => undefined) : until(atMs)),
    }),
    'does not wait for what is over',
  ],
]

const VERSION_7 = 'makes UUIDs of version 7, of this century'
const RISING = 'makes each UUID greater than every one before'
const LENGTH = 'gives as many bytes as were asked for'

export const RANDOM_MUTATIONS: ReadonlyArray<PortMutation<Random>> = [
  ['makes UUIDs of version 4', () => ({ uuid: randomUUID }), VERSION_7, RISING],
  ['gives a byte more', ({ bytes }) => ({ bytes: (length) => bytes(length + 1) }), LENGTH],
  [
    'gives the same bytes each time',
    ({ bytes }) => {
      const same = bytes(4_096)
      return { bytes: (length) => same.slice(0, length) }
    },
    'gives other bytes each time',
  ],
  [
    'gives ASCII',
    ({ bytes }) => ({ bytes: (length) => bytes(length).map((byte) => byte & 0x7f) }),
    'gives every byte there is, at every place',
  ],
]

const knowsHmac = (what: string): string => `knows the HMAC-SHA-1 of ${what}`

export const DIGESTS_MUTATIONS: ReadonlyArray<PortMutation<Digests>> = [
  ...KNOWN_DIGESTS.map(
    ([what, text]): PortMutation<Digests> => [
      `mistakes ${what}`,
      ({ sha256 }) => ({ sha256: (asked) => sha256(asked === text ? `${asked} ` : asked) }),
      `knows the SHA-256 of ${what}`,
    ],
  ),
  ['finds none equal', () => ({ areEqual: () => false }), 'finds a digest equal to itself'],
  [
    'looks only at the first half',
    () => ({ areEqual: (one, other) => one.slice(0, 32) === other.slice(0, 32) }),
    'finds digests different wherever they differ',
  ],
  [
    'takes a beginning for the whole',
    () => ({ areEqual: (one, other) => one.startsWith(other) || other.startsWith(one) }),
    'finds digests of different lengths different',
  ],
  ...KNOWN_HMACS.map(
    ([what, key, message]): PortMutation<Digests> => [
      `mistakes the HMAC-SHA-1 of ${what}`,
      ({ hmacSha1 }) => ({
        hmacSha1: (one, other) =>
          hmacSha1(one, one.join() === key.join() && other.join() === message.join() ? key : other),
      }),
      knowsHmac(what),
    ],
  ),
]
