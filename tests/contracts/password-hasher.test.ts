import { standardPasswordHasher } from '../../adapters/composition/security.ts'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { Pepper, ScryptCost } from '../../adapters/credentials/scrypt/record.ts'
import {
  type OpenPasswordHasher,
  type PasswordHasherCapabilities,
  passwordHasherContract,
} from '../testkit/password-hasher.ts'
import { INEXACT } from './broken/hashers.ts'

const NOW: Pepper = { id: 'now', secret: 'n'.repeat(32) }
const BEFORE: Pepper = { id: 'before', secret: 'b'.repeat(32) }

/** At the lowest possible cost (N = 2, r = 1), without a pepper. */
const CHEAP_RECORD =
  '1$$c2NyeXB0AAEAAAABAAAAAd/kpEZXPH3Vw/W8qaQpaHqAsss14JS8DnZ4j7Nw1fMQWmsJC7fpDDiGhMvKYXP1ezlzzfroyIc3/Xi0L4ibG9Lr6jkpKK5DGlCE9hIQ9yyJ'

/** Under the former pepper, and under a lost one (both N = 2, r = 8). */
const RECORD_OF_BEFORE =
  '1$before$c2NyeXB0AAEAAAAIAAAAAW62uEDJnAX8ihpOOdAkT/w8pS74AuYwR/+MpAVFbJIch5VqCc6AewAOnbLDQmI5Bu7a0Fw0eXfrzC0TfJl1sqTB8/cLBU52WbdCPNvGs7n/'
const RECORD_OF_NOBODY =
  '1$gone$c2NyeXB0AAEAAAAIAAAAAeYJzM495SGRWihR5q/mJTSQSsdhPlZaDK/jizDwvx8C0BU/5I8kh7lUhRv8aOSWxbEpyEVSnvFnJqdUjXQSdiLDDXtvnwnvJK6C28LDf/hC'

const scrypt =
  (cost: ScryptCost, peppers: ReadonlyArray<Pepper> = []) =>
  (concurrency: number, maxWaitMs: number): OpenPasswordHasher =>
  async () => ({ hasher: scryptPasswordHasher(cost, { concurrency, maxWaitMs }, peppers) })

/** Of another system. */
const BCRYPT_RECORD = '$2b$04$dJ1lM0lUNYL.k1bwwudWBuUrrruF2rqW6IGgFftG6zXxxfrkWjJzy'

const standard =
  (peppers: ReadonlyArray<Pepper>) =>
  (concurrency: number, maxWaitMs: number): OpenPasswordHasher =>
  async () => ({
    hasher: standardPasswordHasher({
      scrypt: { logN: 1, r: 8, p: 1 },
      hashing: { concurrency, maxWaitMs },
      peppers,
    }),
  })

/** The abilities of a scrypt, given a record that is outdated for it. */
const hasher = (
  made: ReturnType<typeof scrypt>,
  outdated: string,
  more: PasswordHasherCapabilities = {},
): readonly [OpenPasswordHasher, PasswordHasherCapabilities] => [
  made(2, 600_000),
  {
    ...more,
    outdated: { password: 'correct horse', record: outdated },
    unreadable: { password: 'correct horse', record: RECORD_OF_NOBODY },
    oneAtATime: made(1, 600_000),
    refusing: made(1, 0),
  },
]

/** Every hasher with its abilities, under the same contract. */
const HASHERS: ReadonlyArray<
  readonly [string, ...(readonly [OpenPasswordHasher, PasswordHasherCapabilities])]
> = [
  ['scrypt', ...hasher(scrypt({ logN: 1, r: 8, p: 1 }), CHEAP_RECORD)],
  ['scrypt at another cost', ...hasher(scrypt({ logN: 4, r: 2, p: 3 }), CHEAP_RECORD)],
  ['scrypt with peppers', ...hasher(scrypt({ logN: 1, r: 8, p: 1 }, [NOW, BEFORE]), RECORD_OF_BEFORE)],
  ['the standard hasher', ...hasher(standard([]), BCRYPT_RECORD, { inexact: INEXACT })],
  ['the standard hasher with peppers', ...hasher(standard([NOW, BEFORE]), RECORD_OF_BEFORE)],
]

for (const [name, open, capabilities] of HASHERS) {
  describe(`the contract of PasswordHasher, kept by ${name}`, () =>
    passwordHasherContract({ describe, it }, open, capabilities))
}
