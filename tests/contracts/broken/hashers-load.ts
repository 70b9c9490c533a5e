import * as E from 'fp-ts/lib/Either.js'
import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type {
  HashingRefused,
  HashingRequest,
  HashingShare,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { turn } from './broken.ts'
import { oneAfterTheOther } from './handles.ts'
import { type BrokenHasher, brokenHasher, refusing } from './hashers.ts'

const done = (what: string) => `nothing is done when nobody waits: ${what}`
const asked = (what: string) => `whether anybody waits is asked each time it is run, and not before: ${what}`

const ALL = [
  'hashing',
  'verifying',
  'verifying without a record',
  'verifying with a record that cannot be read',
]

const abandoned = async (): Promise<E.Either<HashingRefused, never>> => E.left({ _tag: 'Abandoned' })

const yes = () => true
const always = (request: HashingRequest): HashingRequest => ({ ...request, wanted: yes })

/** Hashers that do not ask whether anybody waits, or at another time. */
const BROKEN_ASKING: ReadonlyArray<BrokenHasher> = [
  brokenHasher('ask nobody when they hash', [done('hashing'), asked('hashing')], (hasher) => ({
    hash: (password, request) => hasher.hash(password, always(request)),
  })),
  ...(
    [
      ['verifying', (hasher, record) => isSome(record) && hasher.assess(record.value) !== 'unreadable'],
      ['verifying without a record', (_, record) => isNone(record)],
      [
        'verifying with a record that cannot be read',
        (hasher, record) => isSome(record) && hasher.assess(record.value) === 'unreadable',
      ],
    ] satisfies ReadonlyArray<readonly [string, (hasher: PasswordHasher, record: Option<string>) => boolean]>
  ).map(([what, isMeant]) =>
    brokenHasher(`ask nobody when ${what}`, [done(what), asked(what)], (hasher) => ({
      verify: (password, record, request) =>
        hasher.verify(password, record, isMeant(hasher, record) ? always(request) : request),
    })),
  ),
  brokenHasher('ask before they are run', ALL.map(asked), (hasher) => ({
    hash: (password, request) => (request.wanted() ? hasher.hash(password, request) : abandoned),
    verify: (password, record, request) =>
      request.wanted() ? hasher.verify(password, record, request) : abandoned,
  })),
  brokenHasher('ask once for all', ALL.map(asked), (hasher) => {
    const once = ({ wanted, share }: HashingRequest): HashingRequest => {
      let answer: boolean | undefined
      return {
        wanted: () => {
          answer ??= wanted()
          return answer
        },
        share,
      }
    }
    return {
      hash: (password, request) => hasher.hash(password, once(request)),
      verify: (password, record, request) => hasher.verify(password, record, once(request)),
    }
  }),
  brokenHasher('do not say that nobody waited', ALL.map(done), (hasher) =>
    refusing((refused) => (refused._tag === 'Abandoned' ? overloaded(1) : refused))(hasher),
  ),
]

/** Hashers that are out of their depth when much is asked for at once. */
const BROKEN_AT_ONCE: ReadonlyArray<BrokenHasher> = [
  brokenHasher(
    'mix up what they hash',
    'passwords that are hashed at once have good records, each its own',
    (hasher) => {
      let current = ''
      return {
        hash: (password, request) => async () => {
          current = password
          await turn()
          return hasher.hash(current, request)()
        },
      }
    },
  ),
  brokenHasher(
    'mix up what they verify',
    'passwords that are verified at once are answered each for itself',
    (hasher) => {
      let current: Parameters<PasswordHasher['verify']> | undefined
      return {
        verify:
          (...asked) =>
          async () => {
            current = asked
            await turn()
            return hasher.verify(...(current ?? asked))()
          },
      }
    },
  ),
  brokenHasher(
    'ask one whether all wait',
    'of what is asked for at once only that is abandoned which nobody waits for',
    (hasher) => {
      let last = yes
      return {
        hash: (password, request) => async () => {
          last = request.wanted as typeof yes
          await turn()
          return hasher.hash(password, { ...request, wanted: last })()
        },
      }
    },
  ),
  brokenHasher('never have room again', 'when all is over there is room again', (hasher) => {
    let begun = 0
    return {
      verify: (password, record, request) => {
        begun += 1
        return begun > 40
          ? async () => E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
          : hasher.verify(password, record, request)
      },
    }
  }),
]

const OF_A_SHARE = 'a share with one hash does not wait behind all of another’s'
const OF_A_PART = 'a part of a share with one hash does not wait behind all of another’s'

/** Hashers that let others wait, or refuse them, in a wrong way. */
const BROKEN_QUEUES: ReadonlyArray<BrokenHasher> = [
  brokenHasher(
    'ask when somebody begins to wait',
    'whether anybody waits is asked when the turn comes',
    (hasher) => ({
      hash: (password, request) => () =>
        request.wanted() ? hasher.hash(password, always(request))() : abandoned(),
      verify: (password, record, request) => () =>
        request.wanted() ? hasher.verify(password, record, always(request))() : abandoned(),
    }),
  ),
  ...(
    [
      ['know no shares', [OF_A_SHARE, OF_A_PART], () => ['all']],
      ['know no parts of a share', [OF_A_PART], ([name]) => [name]],
    ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<string>, (share: HashingShare) => HashingShare]>
  ).map(([breaks, caughtBy, alter]) =>
    brokenHasher(breaks, caughtBy, (hasher) => ({
      hash: (password, request) => hasher.hash(password, { ...request, share: alter(request.share) }),
    })),
  ),
  brokenHasher('forget who waits behind ten', 'all that wait are answered', (hasher) => {
    let waiting = 0
    return {
      hash: (password, request) => async () => {
        waiting += 1
        try {
          return waiting > 10 ? await abandoned() : await hasher.hash(password, request)()
        } finally {
          waiting -= 1
        }
      },
    }
  }),
  ...[0, 0.5, Number.NaN].map((seconds) =>
    brokenHasher(
      `say to come again after ${seconds} seconds`,
      [toCome('hash'), toCome('verify')],
      refusing((refused) => (refused._tag === 'Overloaded' ? overloaded(seconds) : refused)),
    ),
  ),
  brokenHasher('let everybody wait', [toCome('hash'), toCome('verify')], (hasher) => {
    const locked = oneAfterTheOther()
    return {
      hash: (password, request) => () => locked(hasher.hash(password, request)),
      verify: (password, record, request) => () => locked(hasher.verify(password, record, request)),
    }
  }),
  brokenHasher('refuse all once they have refused one', 'after a refusal there is room again', (hasher) => {
    let refusedOnce = false
    return {
      hash: (password, request) => async () => {
        if (refusedOnce) return E.left(overloaded(1))
        const outcome = await hasher.hash(password, request)()
        refusedOnce ||= E.isLeft(outcome)
        return outcome
      },
    }
  }),
]

export const BROKEN_LOADS: ReadonlyArray<BrokenHasher> = [
  ...BROKEN_ASKING,
  ...BROKEN_AT_ONCE,
  ...BROKEN_QUEUES,
]

function toCome(work: string): string {
  return `a ${work} that would wait too long is refused, and says when to come again`
}

function overloaded(retryAfterSeconds: number): HashingRefused {
  return { _tag: 'Overloaded', retryAfterSeconds }
}
