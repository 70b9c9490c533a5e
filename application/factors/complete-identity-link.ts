import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Assurance, assuranceIn, tokenAssurance } from '../../domain/assurance.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import {
  type IdentityAnswerProblem,
  type IdentityLinkProblem,
  validateIdentityAnswer,
  validateIdentityLink,
} from '../../domain/identity.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { IdentityRefusalReason } from '../../domain/refusal-reasons.ts'
import type { Roles } from '../../domain/roles.ts'
import { signSessionToken } from '../keys/sign-session-token.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type {
  Identity,
  IdentityProvider,
  IdentityRefused,
  ProviderUnavailable,
} from '../ports/identity-provider.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { answerInSession } from './answer-in-session.ts'
import { changeOwnFactors, type OwnFactors } from './change-own-factors.ts'
import { findLinked, newIdentityFactor } from './identity-factor.ts'
import { IDENTITY_FOR, type Identities, openTransaction } from './identity-transaction.ts'

/**
 * Links an identity that the user has just proved to the account of the session (docs/identities.md). All other sessions end. The token
 * of this one is replaced by one that is as fresh: the identity proved nothing about its user before it was linked.
 */
export type CompleteIdentityLink = (
  context: RequestContext,
  caller: UserCaller,
  request: Readonly<{ transaction: Field; answer: Field }>,
) => TE.TaskEither<Refused | Failure, LinkedIdentity>

/** The id of its factor, and a new token of the session. */
export type LinkedIdentity = Readonly<{
  id: string
  name: string
  token: string
  expiresInSeconds: number
  roles: Roles
}> &
  Assurance

type Refused = Invalid<IdentityAnswerProblem | IdentityLinkProblem> | IdentityRefused | InvalidToken
type Failure = Throttled | Overloaded | KeyUnusable | StoreUnavailable | ProviderUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'findFactor' | 'listFactors'>
  signUserToken: SignUserToken
  clock: Clock
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  identities: Identities
  settings: LifetimeSettings
}>

export const completeIdentityLink =
  (dependencies: Dependencies): CompleteIdentityLink =>
  (context, caller, request) => {
    const { user, session } = caller
    const begun = openTransaction(dependencies, request.transaction, IDENTITY_FOR.link(user, session))
    const provider = toUndefined(begun)?.provider
    const note = (reason: IdentityRefusalReason) =>
      dependencies.refusals.note(
        { _tag: 'IdentityRefused', userId: user.id, provider: provider?.name, reason },
        { kind: 'user', id: user.id },
        context,
      )
    const valid = validateIdentityAnswer(request.answer, begun)
    if (isLeft(valid)) {
      note('invalid_fields')
      return TE.left(invalid(valid.left))
    }
    const { answer, begun: transaction } = valid.right
    return pipe(
      answerInSession(dependencies.throttle, session, transaction, answer),
      TE.mapLeft((failure) => {
        if (failure._tag === 'IdentityRefused') note(failure.reason)
        if (failure._tag === 'Throttled') note('too_many_failures')
        return failure
      }),
      TE.chainW((identity) =>
        changeOwnFactors(
          dependencies,
          link(dependencies, { context, note, identity, provider: transaction.provider }),
        )(caller),
      ),
    )
  }

type Link = Readonly<{
  context: RequestContext
  note: (reason: IdentityRefusalReason) => void
  provider: IdentityProvider
  identity: Identity
}>

/** Signs first, so that nothing is linked if signing fails. */
const link =
  (dependencies: Dependencies, { context, note, provider, identity }: Link) =>
  ({
    caller,
    factors,
  }: OwnFactors): TE.TaskEither<
    Invalid<IdentityLinkProblem> | InvalidToken | Conflict | KeyUnusable | StoreUnavailable,
    LinkedIdentity
  > =>
  async () => {
    const { user, session, presented } = caller
    const linked = await findLinked(dependencies, { issuer: provider.issuer, subject: identity.subject })()
    if (isLeft(linked)) return linked
    const valid = validateIdentityLink({ user, factors }, linked.right)
    if (isLeft(valid)) {
      for (const problem of valid.left) note(REASONS[problem])
      return left(invalid(valid.left))
    }
    const signed = await signSessionToken(dependencies, caller, {
      assurance: assuranceIn(presented), // a stolen token must not become fresher
      issuedAtSeconds: Math.floor(dependencies.clock() / 1000),
    })()
    if (isLeft(signed)) return signed
    const factor = newIdentityFactor(dependencies, { provider, identity, linked: linked.right }, user.id)
    const recorded = await pipe(
      dependencies.record(
        [{ _tag: 'FactorEnrolled', user, session, factor }],
        { kind: 'user', id: user.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    return right({
      id: factor.id,
      name: factor.name,
      ...signed.right,
      roles: user.roles,
      ...tokenAssurance(presented),
    })
  }

const REASONS: Readonly<Record<IdentityLinkProblem, IdentityRefusalReason>> = {
  IdentityTaken: 'linked_elsewhere',
  OwnEmailNotVerified: 'email_not_verified',
  TooManyIdentities: 'too_many_identities',
}
