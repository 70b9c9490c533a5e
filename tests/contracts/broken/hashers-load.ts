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
import { type Mutate, mixedUp, mutationsOf, oneAfterTheOther, turn } from './mutations.ts'

type MutateHasher = Mutate<PasswordHasher>
type Work = () => Promise<unknown>
const caught = caughtBy<MutateHasher>
const { hear } = mutationsOf<PasswordHasher>()

const overloaded = (retryAfterSeconds: number): HashingRefused => ({ _tag: 'Overloaded', retryAfterSeconds })
const abandoned = TE.left<HashingRefused>({ _tag: 'Abandoned' })
const alwaysWanted = (request: HashingRequest): HashingRequest => ({ ...request, wanted: () => true })

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

/** The kinds of work, as the contract calls them. */
const WORK: Readonly<Record<string, (alter: (request: HashingRequest) => HashingRequest) => MutateHasher>> = {
  hashing: hashes,
  verifying: verifies((record, hasher) => isSome(record) && !isUnreadable(record, hasher)),
  'verifying without a record': verifies(isNone),
  'verifying with a record that cannot be read': verifies(isUnreadable),
}

const done = (what: string) => `nothing is done when nobody waits: ${what}`
const asked = (what: string) => `whether anybody waits is asked each time it is run, and not before: ${what}`

const OF_ASKING = [
  ...Object.entries(WORK).flatMap(([what, requests]) =>
    caught([done(what), asked(what)], {
      [`does not ask whether a client waits: ${what}`]: requests(alwaysWanted),
    }),
  ),
  ...caught(/^whether anybody waits is asked each time it is run/, {
    'asks before it is run whether a client waits': working(
      () => (request, work) => (request.wanted() ? work(request) : (abandoned as never)),
    ),
    'asks once whether a client waits': working(() => (request, work) => {
      let answer: boolean | undefined
      return work({
        ...request,
        wanted: () => {
          answer ??= request.wanted()
          return answer
        },
      })
    }),
  }),
  ...caught(/^nothing is done when nobody waits/, {
    'does not say that no client waited': refusing((refused) =>
      refused._tag === 'Abandoned' ? overloaded(1) : refused,
    ),
  }),
]

/** Refuses in another way. */
function refusing(alter: (refused: HashingRefused) => HashingRefused): MutateHasher {
  return ({ hash, verify }) => ({
    hash: (...asked) => TE.mapLeft(alter)(hash(...asked)),
    verify: (...asked) => TE.mapLeft(alter)(verify(...asked)),
  })
}

const OF_MANY_AT_ONCE = [
  ...caught('passwords that are hashed at once have good records, each its own', {
    'hashes the last password that was asked': mixedUp('hash'),
  }),
  ...caught('passwords that are verified at once are answered each for itself', {
    'verifies the last password that was asked': mixedUp('verify'),
  }),
  ...caught('of what is asked for at once only that is abandoned which nobody waits for', {
    'asks the last client whether all wait': ({ hash }) => {
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
  ...caught('when all is over there is room again', {
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
const REFUSES = /would wait too long is refused, and says when to come again$/

const sharing = (alter: (share: HashingShare) => HashingShare): MutateHasher =>
  hashes((request) => ({ ...request, share: alter(request.share) }))

const OF_WAITING = [
  ...caught('whether anybody waits is asked when the turn comes', {
    'asks whether a client waits when the waiting begins': working(
      () => (request, work) =>
        (() => (request.wanted() ? work(alwaysWanted(request)) : abandoned)()) as never,
    ),
  }),
  ...caught([OF_A_SHARE, OF_A_PART], { 'has one queue for all shares': sharing(() => ['all']) }),
  ...caught(OF_A_PART, { 'has one queue for all parts of a share': sharing(([name]) => [name]) }),
  ...caught('all that wait are answered', {
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
      [`tells clients to come again after ${seconds} seconds`]: refusing((refused) =>
        refused._tag === 'Overloaded' ? overloaded(seconds) : refused,
      ),
    }),
  ),
  ...caught(REFUSES, {
    'lets every client wait': working(() => {
      const locked = oneAfterTheOther()
      return (request, work) => (() => locked(work(request))) as never
    }),
  }),
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

export const LOAD_MUTATIONS = [...OF_ASKING, ...OF_MANY_AT_ONCE, ...OF_WAITING]
