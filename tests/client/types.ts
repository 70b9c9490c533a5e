import {
  type Acr,
  type Amr,
  type EventType,
  type FactorMethod,
  type FeedEvent,
  type Field,
  type LogEntry,
  type Portcullis,
  PortcullisUnavailable,
  portcullis,
  type Reason,
  type Refused,
  type SignInAnswer,
  type UserMethods,
  type UserRefused,
  type UserResult,
} from 'portcullis-client'
import type { AssuranceLevel } from '../../domain/assurance.ts'
import type { EventOf, EventType as EventTypeOfService } from '../../domain/event.ts'
import type { FactorMethod as FactorMethodOfService } from '../../domain/factor.ts'

/**
 * No test runs this file: it compiles, or the build fails. Each `@ts-expect-error` is a mistake that the types must refuse. An
 * exported function stands for a statement about types.
 */

/** Equal only if each type is assignable to the other, and neither is `any`. */
type Same<One, Other> = [One] extends [Other]
  ? [Other] extends [One]
    ? 0 extends 1 & One
      ? false
      : true
    : false
  : false
const holds = <_ extends true>(): void => {}

export const aResultNarrowsByOk = async (auth: Portcullis): Promise<void> => {
  const signedIn = await auth.signIn({ email: 'a', password: 'b', label: undefined })
  // @ts-expect-error: it may have been refused
  signedIn.token
  if (signedIn.ok) {
    holds<Same<typeof signedIn.token, string>>()
    holds<Same<typeof signedIn.expiresIn, number>>()
    const answer: SignInAnswer = signedIn
    void answer
    // @ts-expect-error: a success has no problems
    signedIn.problems
    // @ts-expect-error: that is the name on the wire
    signedIn.expires_in
  } else {
    holds<Same<(typeof signedIn.problems)[0]['reason'], Reason>>()
    // @ts-expect-error: there is no token
    signedIn.token
  }
}

export const aResultNarrowsByRefusal = async (auth: Portcullis): Promise<string> => {
  const signedIn = await auth.signIn({ email: 'a', password: 'b' })
  if (signedIn.ok) return signedIn.token
  switch (signedIn.refusal) {
    case 'second_factor':
      holds<Same<typeof signedIn.secondFactor.token, string>>()
      holds<Same<(typeof signedIn.secondFactor.methods)[number], FactorMethod>>()
      // @ts-expect-error: only `throttled` has it
      signedIn.retryAfter
      return signedIn.secondFactor.token
    case 'throttled':
      holds<Same<typeof signedIn.retryAfter, number>>()
      return ''
    // @ts-expect-error: no user token can be wrong
    case 'invalid_token':
    // @ts-expect-error: a scope that the application lacks is an error
    case 'insufficient_scope':
    // @ts-expect-error: only a user can step up
    case 'insufficient_user_authentication':
    case undefined:
      return signedIn.problems[0].message
  }
}

export const aResultOfAUserNarrowsByRefusal = async (user: UserMethods): Promise<string> => {
  const changed = await user.changePassword({ oldPassword: 'a', newPassword: 'b', newPasswordCheck: 'b' })
  if (changed.ok) return ''
  switch (changed.refusal) {
    case 'throttled':
      holds<Same<typeof changed.retryAfter, number>>()
      return ''
    case 'insufficient_user_authentication':
      holds<Same<typeof changed.maxAge, number>>()
      holds<Same<typeof changed.acr, Acr>>()
      return changed.acr
    // @ts-expect-error: only a sign-in waits for a second factor
    case 'second_factor':
    case 'invalid_token':
    case 'insufficient_scope':
    case undefined:
      return changed.problems[0].message
  }
}

export const aResultOfTheApplicationIsOneOfAUser = async (auth: Portcullis): Promise<UserResult<object>> =>
  auth.registerUser({ email: 'a', password: 'b' })

export const onlyASignInWaitsForASecondFactor = async (auth: Portcullis): Promise<void> => {
  const renewed = await auth.renewSession({ token: 'a' })
  // @ts-expect-error: no other operation has it
  if (!renewed.ok && renewed.refusal === 'second_factor') throw new Error()
}

export const everyRefusalHasAProblem = ({ problems }: UserRefused): string => problems[0].message

export const aProblemIsOfAFieldOfTheClient = ({ problems: [{ field }] }: Refused): boolean => {
  holds<Same<typeof field, Field | ''>>()
  // @ts-expect-error: that is the name on the wire
  if (field === 'new_password') return false
  // @ts-expect-error: the client itself sends the API keys
  if (field === 'publicApiKey') return false
  return field === 'newPassword' || field === 'secondFactor'
}

export const TEXTS: Readonly<Record<Reason, string>> = {
  missing: 'Please fill this in.',
  malformed: 'This has the wrong form.',
  taken: 'This is taken.',
  unknown: 'There is no such entry.',
  disabled: 'This account is blocked.',
  ended: 'This link is not valid any more.',
  out_of_range: 'This is out of range.',
  wrong_password: 'The password is wrong.',
  wrong_code: 'The code is wrong.',
  invalid_credential: 'The passkey was not accepted.',
  different: 'The passwords differ.',
  too_short: 'The password is too short.',
  leaked: 'The password was leaked.',
  from_names: 'The password contains a name.',
  common: 'The password is common.',
  guessable: 'The password is easy to guess.',
  refused_by_rule: 'The password breaks a rule.',
  not_fresh: 'Please sign in again.',
  email_not_verified: 'Please confirm your e-mail first.',
  too_many_factors: 'You have too many factors.',
  too_many_roles: 'Too many roles.',
  no_factor: 'You have no second factor.',
  no_passkey: 'You have no passkey.',
  no_mail: 'No mail can be sent.',
  second_factor_due: 'Please enter your code.',
  not_combinable: 'These fields do not combine.',
  second_factor_missing: 'You need a second factor.',
  second_factor_required: 'Please enter your code.',
  identity_refused: 'Please try again.',
  no_verified_email: 'Please sign in another way.',
  link_first: 'Please sign in first.',
  registration_off: 'There is no such account.',
  last_way_in: 'You need a way to sign in.',
  too_large: 'This is too large.',
  throttled: 'Please wait.',
  invalid_token: 'Please sign in again.',
  insufficient_scope: 'This is not allowed.',
  insufficient_user_authentication: 'Please enter your password again.',
  other: 'This was refused.',
}

// @ts-expect-error: a table without a reason is incomplete
export const INCOMPLETE: Readonly<Record<Reason, string>> = { missing: 'Please fill this in.' }

export const wrongInputDoesNotCompile = async (auth: Portcullis): Promise<void> => {
  // @ts-expect-error: the password is missing
  await auth.signIn({ email: 'a' })
  // @ts-expect-error: that is the name on the wire
  await auth.user('a').changePassword({ old_password: 'a', new_password: 'b', new_password_check: 'b' })
  // @ts-expect-error: no number is a password
  await auth.signIn({ email: 'a', password: 1 })
  // @ts-expect-error: there is no such status
  await auth.searchUsers({ status: 'removed' })
  // @ts-expect-error: there is no such option
  await auth.getPasswordPolicy({ timeout: 1 })
  // @ts-expect-error: it takes the options only
  await auth.user('a').signOut({}, {})
  // @ts-expect-error: it needs the token of a user
  await auth.getProfile()
  // @ts-expect-error: it needs no token of a user
  await auth.user('a').signIn({ email: 'a', password: 'b' })
  // @ts-expect-error: there is no such event
  auth.events({ types: ['UserVanished'] })
  // @ts-expect-error: the keys are missing
  portcullis({ url: 'http://127.0.0.1' })
}

export const optionalInputMayBeOmitted = async (auth: Portcullis, signal: AbortSignal): Promise<void> => {
  await auth.searchUsers()
  await auth.searchUsers(undefined, { signal })
  await auth.issueOauthToken()
  await auth.user('a').signOut({ signal, endUserAddress: '192.0.2.1' })
  for await (const user of auth.users({ status: 'enabled' })) holds<Same<typeof user.createdAt, string>>()
  for await (const event of auth.events()) holds<Same<typeof event.cursor, string>>()
}

export const aFormMaySendWhatIsMissing = (auth: Portcullis, form: FormData): Promise<object> =>
  auth.signIn({ email: form.get('email')?.toString(), password: form.get('password')?.toString() })

export const composedServicesAndTheGlobalFetchFit = (): ReadonlyArray<Portcullis> => {
  const keys = { url: 'http://127.0.0.1', publicApiKey: 'a', privateApiKey: 'b' }
  return [
    portcullis({ ...keys, fetch }),
    portcullis({ ...keys, fetch: async (url: string) => new Response(url) }),
  ]
}

export const anUnavailableServiceIsAnError = (error: unknown): string =>
  error instanceof PortcullisUnavailable ? `${error.outcome} ${error.status ?? error.message}` : ''

export const theWordsAreThoseOfTheService = (): void => {
  holds<Same<Acr, AssuranceLevel>>()
  holds<Same<FactorMethod, FactorMethodOfService>>()
  holds<Same<SignInAnswer['acr'], Acr>>()
  holds<Same<SignInAnswer['amr'][number], Amr>>()
  // @ts-expect-error: that is the word for a factor
  const amr: Amr = 'totp'
  void amr
}

/** Each entry has at least the fields that the service writes. */
export const entriesAreThoseOfTheService = (): void => {
  holds<Same<EventType, EventTypeOfService>>()
  holds<Same<{ [Type in EventType]: IsWritten<Type> }[EventType], true>>()
}
type IsWritten<Type extends EventType> =
  LogEntry<Type> extends Pick<EventOf<Type>, 'type' | 'subject' | 'data'> ? true : false

export const anEventNarrowsByTheTypeOfItsEntry = ({ data: entry }: FeedEvent): string => {
  // @ts-expect-error: entries of other types have no session
  entry.data.session_id
  if (entry.type === 'UserSignedIn') {
    holds<Same<typeof entry.data.session_id, string>>()
    holds<Same<typeof entry.data.remembered, boolean | undefined>>()
    holds<Same<typeof entry.subject.kind, 'user'>>()
    // @ts-expect-error: the log has names of its own
    return entry.data.sessionId
  }
  // @ts-expect-error: there is no such type
  if (entry.type === 'UserVanished') return ''
  return entry.type === 'SignInRefused' ? entry.data.reason : ''
}

export const eventsAreOfTheTypesOfTheFilter = async (auth: Portcullis): Promise<void> => {
  for await (const { data } of auth.events({ types: ['UserRemoved', 'UserSignedIn'] }))
    holds<Same<typeof data.type, 'UserRemoved' | 'UserSignedIn'>>()
  for await (const { data } of auth.events({ after: 'a' })) holds<Same<typeof data.type, EventType>>()
  const types: ReadonlyArray<EventType> = ['UserRemoved']
  for await (const { data } of auth.events({ types })) holds<Same<typeof data.type, EventType>>()
}

export const verifiedTokensNarrow = async (auth: Portcullis): Promise<string> => {
  const verified = await auth.verify('a')
  // @ts-expect-error: it may be invalid
  verified.userId
  if (!verified.ok) return verified.refusal
  holds<Same<typeof verified.acr, Acr>>()
  holds<Same<(typeof verified.amr)[number], Amr>>()
  return verified.userId
}
