import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { isNone, type Option } from 'fp-ts/lib/Option.js'
import type { UserCaller } from './access.ts'
import type { Application } from './application.ts'
import { type AssuranceLevel, assuranceOf, reaches } from './assurance.ts'
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'
import { lacksVerifiedEmail } from './sign-in.ts'

/** What a client asks about the person and the authentication (OpenID Connect Core §3.1.2.1). */
export type AuthorizationWishes = Readonly<{
  /** The values of `prompt`. */
  prompts: ReadonlySet<string>
  /** The largest age of the authentication: `max_age`, or the life of a session of the application. */
  maxAgeSeconds: number
  /** The level that the client calls essential, or asks for. */
  acr: AssuranceLevel
  /** The id of the user that the client expects. */
  subject: string | undefined
  /** A page was shown for this request: no authentication before this time is enough, in seconds since the epoch. */
  continuedSince: number | undefined
}>

/** What a person does first. Each is a page. */
export type NeededStep =
  | 'sign_in'
  | 'register'
  | 'choose_account'
  | 'other_account'
  | 'step_up'
  | 'second_factor'
  | 'verified_email'

/** A person is needed. `error` is for a client that wants no page (§3.1.2.6), and `sinceSeconds` holds for the request after the page. */
export type PersonNeeded = Readonly<{
  _tag: 'PersonNeeded'
  step: NeededStep
  error: 'login_required' | 'interaction_required' | 'account_selection_required'
  sinceSeconds: number
}>

/** Returns since when an authentication is enough for a client, in seconds since the epoch. */
export const enoughSince = (
  {
    prompts,
    maxAgeSeconds,
    continuedSince,
  }: Pick<AuthorizationWishes, 'prompts' | 'maxAgeSeconds' | 'continuedSince'>,
  nowSeconds: number,
): number => continuedSince ?? Math.max(0, prompts.has('login') ? nowSeconds : nowSeconds - maxAgeSeconds)

/**
 * Returns who a client gets an answer about, or what a person does first. Single sign-on judges as a sign-in at that application would: the same
 * level, the same e-mail.
 *
 * @param visitor the owner of the session that the browser has
 * @param nowSeconds a whole number
 */
export const judgeAuthorization = (
  visitor: Option<UserCaller>,
  application: Pick<Application, 'requiredAssurance' | 'requiresVerifiedEmail'>,
  { prompts, maxAgeSeconds, acr, subject, continuedSince }: AuthorizationWishes,
  nowSeconds: number,
): Either<PersonNeeded, UserCaller> => {
  const isContinued = continuedSince !== undefined
  const sinceSeconds = enoughSince({ prompts, maxAgeSeconds, continuedSince }, nowSeconds)
  const need = (step: NeededStep, error: PersonNeeded['error'] = 'interaction_required') =>
    left<PersonNeeded>({ _tag: 'PersonNeeded', step, error, sinceSeconds })
  if (isNone(visitor)) return need(firstStep(prompts), 'login_required')
  const { user, session } = visitor.value
  if (subject !== undefined && subject !== user.id) return need('other_account', 'login_required')
  if (prompts.has('select_account') && !isContinued)
    return need('choose_account', 'account_selection_required')
  if (prompts.has('create') && !isContinued) return need('register')
  const tolerated = isContinued ? CLOCK_TOLERANCE_SECONDS : 0
  if (session.authenticatedAtSeconds + tolerated < sinceSeconds || (prompts.has('login') && !isContinued))
    return need('step_up', 'login_required')
  const level = assuranceOf(session.methods)
  if (!reaches(level, application.requiredAssurance) || !reaches(level, acr)) return need('second_factor')
  if (lacksVerifiedEmail(application, user)) return need('verified_email')
  return right(visitor.value)
}

/** Somebody may be signed in after all: browsers send no cookie with the form of another site. So the page asks what the client wants. */
const firstStep = (prompts: ReadonlySet<string>): NeededStep => {
  if (prompts.has('create')) return 'register'
  return prompts.has('select_account') ? 'choose_account' : 'sign_in'
}
