import * as O from 'fp-ts/lib/Option.js'
import { memoryFailureCounts } from '../../../adapters/driven/memory/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { type BrokenCounts, brokenCounts, inMap, knowing, lookingEarly, under } from './failure-counts.ts'

/** Counts that take one key for another. */
export const BROKEN_KEYS: ReadonlyArray<BrokenCounts> = [
  ...(
    [
      ['digests', 'the end of a key', (key) => key.slice(0, 63)],
      ['case', 'the case of letters', (key) => key.toLowerCase()],
      ['space', 'space', (key) => key.trim()],
      ['numbers', 'how a number is written', (key) => (Number.isNaN(Number(key)) ? key : `${Number(key)}`)],
      [
        'U+0000 and what stands behind it',
        'what stands behind U+0000',
        (key) => (/^[^\0]*/.exec(key) ?? [key])[0],
      ],
      ['composed and decomposed', 'how a letter is composed', (key) => key.normalize()],
      ['beyond the first plane', 'the planes', (key) => key.replace(/[\u{10000}-\u{10ffff}]/gu, '?')],
      ['length', 'what is long', (key) => key.slice(0, 9_999)],
    ] satisfies ReadonlyArray<readonly [string, string, (key: string) => string]>
  ).map(([what, overlooked, alter]) =>
    brokenCounts(`overlook ${overlooked}`, `keys that differ are kept apart: ${what}`, under(alter)),
  ),
  brokenCounts('delete all there is', 'deleting under one key leaves the others', (counts) => {
    let generation = 0
    return {
      update: (key, decide) =>
        counts.update(`${generation} ${key}`, (known) => {
          const decided = decide(known)
          if (O.isNone(decided.kept)) generation += 1
          return decided
        }),
    }
  }),
  brokenCounts(
    'keep them in an object as it comes',
    'names that mean something to the language are keys like any other',
    knowing((known, key) => (key in {} ? O.some(({} as Record<string, Failures>)[key] as Failures) : known)),
  ),
]

/** Counts that mix up what is asked for at once. */
export const BROKEN_CONCURRENCY: ReadonlyArray<BrokenCounts> = [
  brokenCounts(
    'look long before they write',
    [
      '1,000 on one key at once are all counted',
      'each of 1,000 on one key at once knows what the one before it has left',
      'of 100 on one key at once as many are let through as the limit allows',
      '1,000 on ten keys at once are counted for each by itself',
      'one that deletes among those that count takes what is there by then, and nothing else',
      'those that change nothing neither take from those that do nor add to them',
    ],
    lookingEarly,
  ),
  brokenCounts(
    'count all keys together',
    '1,000 on ten keys at once are counted for each by itself',
    under(() => 'all'),
  ),
]

/** Counts that keep too little, too much or not what they should. */
export const BROKEN_BOUNDS: ReadonlyArray<BrokenCounts> = [
  {
    breaks: 'keep one key fewer',
    caughtBy: ['as many keys as are to be kept are kept'],
    open: (clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost - 1),
  },
  {
    breaks: 'keep every key',
    caughtBy: ['keys beyond what is kept go: there are never many more than that'],
    open: (clock) => memoryFailureCounts(clock, Number.POSITIVE_INFINITY),
  },
  {
    breaks: 'drop all when there is too much',
    caughtBy: ['those go first that would be forgotten first, whichever came first'],
    open: inMap((counts) => counts.clear()),
  },
  {
    breaks: 'drop who came first',
    caughtBy: ['those go first that would be forgotten first, whichever came first'],
    open: inMap((counts, keptAtMost) => {
      for (const key of [...counts.keys()].slice(0, counts.size - keptAtMost)) counts.delete(key)
    }),
  },
  {
    breaks: 'take nobody new when they are full',
    caughtBy: [
      'those go first that would be forgotten first, whichever came first',
      'what is over makes room for what is not',
    ],
    open: inMap((counts, _, newest) => void (newest !== undefined && counts.delete(newest))),
  },
  brokenCounts(
    'forget a moment too early',
    'what has not been forgotten is there to its last millisecond, while others come and go',
    knowing((known, _, now) => O.filter(({ forgottenFrom }: Failures) => now + 1 < forgottenFrom)(known)),
  ),
]
