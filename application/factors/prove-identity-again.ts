import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/clock-tolerance.ts'
import type { Factor } from '../../domain/factor.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { IdentityRefusalReason } from '../../domain/refusal-reasons.ts'
import type { SessionFacts } from '../../domain/session.ts'
import type { IdentityAgain, StepUpProblem } from '../../domain/step-up.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Identity, ProviderUnavailable } from '../ports/identity-provider.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { answerInSession } from './answer-in-session.ts'
import { findLinked } from './identity-factor.ts'
import { IDENTITY_FOR, type Identities, openTransaction } from './identity-transaction.ts'

/** Whether the user has authenticated at the provider since a time, as the provider says. */
export const isAuthenticatedSince = (
  seconds: number,
  { authenticatedAtSeconds: at }: Pick<Identity, 'authenticatedAtSeconds'>,
): boolean => isSome(at) && at.value >= seconds - CLOCK_TOLERANCE_SECONDS

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor'>
  clock: Clock
  digests: Digests
  refusals: Refusals
  throttle: Throttle
  identities: Identities | undefined
}>

/** What a provider has proved again, with what reads its factor as it is now. */
export type ProvedAgain = Readonly<{
  readFactor: (facts: SessionFacts) => TE.TaskEither<Invalid<StepUpProblem> | StoreUnavailable, Factor>
}>

/**
 * Asks the provider whether the user of a session has authenticated there since the start of the transaction. The code works once, so this
 * comes before everything that a conflict repeats.
 */
export const proveIdentityAgain =
  (
    { store, clock, digests, refusals, throttle, identities }: Dependencies,
    { user, session }: SessionFacts,
    { transaction, answer }: IdentityAgain,
    context: RequestContext,
  ): TE.TaskEither<
    Invalid<StepUpProblem> | ProviderUnavailable | Throttled | StoreUnavailable,
    ProvedAgain
  > =>
  async () => {
    const begun =
      identities &&
      toUndefined(openTransaction({ clock, identities }, transaction, IDENTITY_FOR.stepUp(session)))
    const refuse = (reason: IdentityRefusalReason) => {
      refusals.note(
        { _tag: 'IdentityRefused', userId: user.id, provider: begun?.provider.name, reason },
        { kind: 'user', id: user.id },
        context,
      )
      return left(invalid<StepUpProblem>(['IdentityRefused']))
    }
    if (begun === undefined) return refuse('invalid_fields')
    const { provider, issuedAtSeconds } = begun
    const proved = await answerInSession(throttle, session, begun, answer)()
    if (isLeft(proved)) {
      return proved.left._tag === 'IdentityRefused' ? refuse(proved.left.reason) : left(proved.left)
    }
    const { subject } = proved.right
    if (!isAuthenticatedSince(issuedAtSeconds, proved.right)) return refuse('invalid_id_token')
    return right({
      readFactor: (facts) => async () => {
        const linked = await findLinked({ store, digests }, { issuer: provider.issuer, subject })()
        if (isLeft(linked)) return linked
        const factor = isSome(linked.right) ? linked.right.value.factor : undefined
        return factor === undefined || factor.removed || factor.userId !== facts.user.id
          ? refuse('not_linked')
          : right(factor)
      },
    })
  }
