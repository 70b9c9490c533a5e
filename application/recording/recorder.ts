import { type Either, isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { fromNullable, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import type { Mail } from '../../domain/mail.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { AbortSignalLike } from '../ports/password-hasher.ts'
import type { Conflict, EmailTaken, Store, StoreUnavailable } from '../ports/store.ts'
import { type Fact, toChange } from './facts.ts'
import type { Notices } from './notices.ts'

/** What a use case knows about the request that it answers. */
export type RequestContext = Readonly<{
  /** Absent without a request. */
  requestId?: string
  /**
   * Notes that a commit of the request begins. False: the request has been answered without it, so nothing may be written. Work
   * without this function always commits.
   */
  beginCommit?: () => boolean
  /** Returns a signal that is aborted when the client disconnects or the deadline passes. Work without a signal is never aborted. */
  signal?: () => AbortSignalLike
  /** Returns the client's network, which throttling counts on: an IPv4 address, or the first half of an IPv6 address. */
  address?: () => string | undefined
  /**
   * The network of the end user in the form of `address`, if the application reported it. Throttling counts on it. It is never
   * logged, and stored only as part of a digest.
   */
  endUserAddress?: string | undefined
  /** The language that the request asks for. Mails use it for a user without one. */
  language?: string | undefined
  /** The browser for which the pages open a session. Absent on the API. */
  browser?: Browser | undefined
  /** The operator's name for the event log. The service cannot verify it. */
  operator?: string | undefined
}>

/** A browser gets one session of the pages, which replaces the one before. */
export type Browser = Readonly<{
  /** The digest of the secret in its new cookie. */
  cookie: string
  /** The id of the session that it has. */
  formerSessionId: Option<string>
  /** The id of the user whose sign-in there is no news, for example because one was there before. */
  knownUserId?: string | undefined
}>

/** The operator of the context, as an actor. */
export const operatorOf = ({ operator }: RequestContext): Actor => ({
  kind: 'operator',
  ...(operator === undefined ? {} : { id: operator }),
})

/** The context of work without an HTTP request, which always runs to its end. */
export const NO_REQUEST: RequestContext = {}

/** The context of background work. It is no commit of the request, so its deadline neither stops it nor counts it. */
export const inBackground = ({ beginCommit: _, ...context }: RequestContext): RequestContext => context

/**
 * Writes facts as one change, with the notices that they cause and other mails (`Notices`), with the guarantees of `Store.commit`. If the store loses its answer, the recorder commits the
 * same change again; the store writes it once. Once the request has been answered, no commit begins.
 */
export type Recorder = (
  facts: NonEmptyArray<Fact>,
  actor: Actor,
  context: RequestContext,
  /** Without mail there are none. */
  mails?: ReadonlyArray<Mail>,
) => TE.TaskEither<CommitFailure, void>

export const recorder =
  ({
    store,
    clock,
    random,
    digests,
    notices,
    onMails = () => {},
  }: Readonly<{
    store: Pick<Store, 'commit'>
    clock: Clock
    random: Random
    digests: Digests
    /** Absent without mail. */
    notices?: Notices | undefined
    /** Is called after a commit that put a mail. */
    onMails?: () => void
  }>): Recorder =>
  (facts, actor, context, mails = []) => {
    const change = toChange(facts, {
      actor,
      requestId: context.requestId,
      atMilliseconds: clock(),
      uuid: () => random.uuid(),
      sha256: (text) => digests.sha256(text),
      mail: notices && { notices, language: fromNullable(context.language), mails },
    })
    const commit = pipe(
      store.commit(change),
      TE.chainFirstIOK(() => (change.mails === undefined ? () => {} : onMails)),
    )
    return beginningCommit(context, commit)
  }

/**
 * Runs a write of the request unless the request has been answered, and repeats it after an unknown outcome. Writing it twice must be as
 * writing it once.
 */
export const beginningCommit =
  <E extends Readonly<{ _tag: string }>, A>(
    { beginCommit = () => true }: RequestContext,
    commit: TE.TaskEither<E | StoreUnavailable, A>,
  ): TE.TaskEither<E | StoreUnavailable, A> =>
  async () => {
    if (!beginCommit()) return ANSWERED
    const first = await commit()
    if (!isUnknown(first)) return first
    for (let again = 0; again < MORE_ATTEMPTS; again += 1) {
      if (!beginCommit()) return first
      const outcome = await commit()
      if (isRight(outcome) || outcome.left._tag !== 'StoreUnavailable') return outcome
    }
    return first // later failures do not tell whether the first commit succeeded
  }

/** A store that loses its answer more often needs an operator. */
const MORE_ATTEMPTS = 2

const ANSWERED = left<StoreUnavailable>({
  _tag: 'StoreUnavailable',
  reason: 'the request was answered before a commit began',
})

const isUnknown = (outcome: Either<Readonly<{ _tag: string; outcome?: 'unknown' }>, unknown>): boolean =>
  isLeft(outcome) && outcome.left._tag === 'StoreUnavailable' && outcome.left.outcome === 'unknown'

/**
 * Excludes failures that a change cannot have: a new id cannot conflict, and only users have an e-mail.
 * A store that reports one anyway breaks its contract, and counts as unavailable.
 */
export const ruleOut = <F extends Readonly<{ _tag: string }>, Tag extends 'Conflict' | 'EmailTaken'>(
  failure: F,
  ...impossible: ReadonlyArray<Tag>
): Exclude<F, { _tag: Tag }> | StoreUnavailable =>
  impossible.some((tag) => tag === failure._tag)
    ? { _tag: 'StoreUnavailable', reason: `it reported an impossible ${failure._tag}` }
    : (failure as Exclude<F, { _tag: Tag }>) // the condition above excludes the others

/** `ruleOut` as a step of a pipe. */
export const neverFailsWith = <Tag extends 'Conflict' | 'EmailTaken'>(...impossible: ReadonlyArray<Tag>) =>
  TE.mapLeft((failure: CommitFailure) => ruleOut(failure, ...impossible))

type CommitFailure = Conflict | EmailTaken | StoreUnavailable
