import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  HashingRefused,
  HashingRequest,
  HashingShare,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { caughtBy } from './harness.ts'
import { type Mutate, mixedUp, mutationsOf, turn } from './mutations.ts'

type MutateHasher = Mutate<PasswordHasher>
type Work = () => Promise<unknown>
const caught = caughtBy<MutateHasher>
const { hear } = mutationsOf<PasswordHasher>()

const overloaded = (retryAfterSeconds: number): HashingRefused => ({ _tag: 'Overloaded', retryAfterSeconds })
const abandoned = TE.left<HashingRefused>({ _tag: 'Abandoned' })
const neverAborted = (request: HashingRequest): HashingRequest => ({ ...request, signal: undefined })
const silent = (request: HashingRequest): HashingRequest => ({ ...request, onStart: undefined })

const hashes = (alter: (request: HashingRequest) => HashingRequest): MutateHasher =>
  hear('hash', (password, request) => [password, alter(request)])

const verifies =
  (isMeant: (record: Option<string>, hasher: PasswordHasher) => boolean) =>
  (alter: (request: HashingRequest) => HashingRequest): MutateHasher =>
  (hasher) =>
    hear(
      'verify',
      (password, record, request) =>
        [password, record, isMeant(record, hasher) ? alter(request) : request] as Parameters<
          PasswordHasher['verify']
        >,
    )(hasher) as Partial<PasswordHasher>

/** Work that is made anew each time it is run. */
const onRun = (make: () => Work): never => (() => make()()) as never

/** Does all work in another way: it is given the request and the good work under a request. */
const working =
  (
    run: () => <A extends Work>(request: HashingRequest, work: (request: HashingRequest) => A) => A,
  ): MutateHasher =>
  ({ hash, verify }) => {
    const working = run()
    return {
      hash: (password, request) => working(request, (other) => hash(password, other)),
      verify: (password, record, request) => working(request, (other) => verify(password, record, other)),
    }
  }

const isUnreadable = (record: Option<string>, { assess }: PasswordHasher): boolean =>
  isSome(record) && assess(record.value) === 'unreadable'

/** The kinds of work, by their names in the contract. */
const WORK: Readonly<Record<string, (alter: (request: HashingRequest) => HashingRequest) => MutateHasher>> = {
  hashing: hashes,
  verifying: verifies((record, hasher) => isSome(record) && !isUnreadable(record, hasher)),
  'verifying without a record': verifies(isNone),
  'verifying with a record that cannot be read': verifies(isUnreadable),
}

const skipped = (what: string) => `an aborted hash is skipped and does not start: ${what}`
const read = (what: string) => `the signal is read each time the hash is run, and not before: ${what}`
const ended = (what: string) => `a hash that has started runs to its end: ${what}`
const started = (what: string) => `onStart is called once each time the hash is run, and not before: ${what}`

const OF_ABORTS = [
  ...Object.entries(WORK).flatMap(([what, requests]) => [
    ...caught([skipped(what), read(what)], {
      [`does not read the signal: ${what}`]: requests(neverAborted),
    }),
    ...caught([ended(what), started(what)], {
      [`does not call onStart: ${what}`]: requests(silent),
    }),
  ]),
]

/** Refuses differently. */
function refusing(alter: (refused: HashingRefused) => HashingRefused): MutateHasher {
  return ({ hash, verify }) => ({
    hash: (...asked) => TE.mapLeft(alter)(hash(...asked)),
    verify: (...asked) => TE.mapLeft(alter)(verify(...asked)),
  })
}

const OF_MANY_AT_ONCE = [
  ...caught('concurrent hashes make records of their own passwords', {
    'hashes the last password that was asked': mixedUp('hash'),
  }),
  ...caught('concurrent checks have their own answers', {
    'verifies the last password that was asked': mixedUp('verify'),
  }),
  ...caught('of concurrent hashes only the aborted ones are abandoned', {
    'reads the signal of the last request for all': ({ hash }) => {
      let last: HashingRequest | undefined
      return {
        hash: (password, request) => async () => {
          last = request
          await turn()
          return hash(password, last)()
        },
      }
    },
  }),
  ...caught('after 40 concurrent checks there is room again', {
    'verifies forty times': ({ verify }) => {
      let begun = 0
      return {
        verify: (...asked) => {
          begun += 1
          return begun > 40 ? TE.left(overloaded(1)) : verify(...asked)
        },
      }
    },
  }),
]

const OF_A_SHARE = 'a share with one hash does not wait behind all of another’s'
const OF_A_PART = 'a part of a share with one hash does not wait behind all of another’s'
const REFUSES = /would wait too long is refused, with the time to wait$/

const sharing = (alter: (share: HashingShare) => HashingShare): MutateHasher =>
  hashes((request) => ({ ...request, share: alter(request.share) }))

const OF_WAITING = [
  ...caught('a hash that is aborted while it waits is skipped', {
    'reads the signal when the wait begins': working(
      () => (request, work) =>
        onRun(() => (request.signal?.aborted ? abandoned : work(neverAborted(request)))),
    ),
  }),
  ...caught([OF_A_SHARE, OF_A_PART], {
    'has one queue for all shares': sharing(() => ['all']),
  }),
  ...caught('all waiting hashes are answered', {
    'abandons what waits behind ten others': ({ hash }) => {
      let waiting = 0
      return {
        hash:
          (...asked) =>
          async () => {
            waiting += 1
            const outcome = await (waiting > 10 ? abandoned : hash(...asked))()
            waiting -= 1
            return outcome
          },
      }
    },
  }),
  ...[0, 0.5, Number.NaN].flatMap((seconds) =>
    caught(REFUSES, {
      [`tells clients to retry after ${seconds} seconds`]: refusing((refused) =>
        refused._tag === 'Overloaded' ? overloaded(seconds) : refused,
      ),
    }),
  ),
  ...caught('after a refusal there is room again', {
    'refuses everything after a refusal': ({ hash }) => {
      let hasRefused = false
      return {
        hash:
          (...asked) =>
          async () => {
            const outcome = await (hasRefused ? TE.left(overloaded(1)) : hash(...asked))()
            hasRefused ||= isLeft(outcome)
            return outcome
          },
      }
    },
  }),
]

export const LOAD_MUTATIONS = [...OF_ABORTS, ...OF_MANY_AT_ONCE, ...OF_WAITING]
