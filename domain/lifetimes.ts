import { getOrElse, none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'

/** How many seconds a user token and its session live. */
export type Lifetimes = Readonly<{ userTokenTtlSeconds: number; sessionTtlSeconds: number }>

/** The lifetimes of the service. */
export type LifetimeSettings = Lifetimes

/** The lifetimes that an application has instead of those of the service: none is the lifetime of the service. */
export type OwnLifetimes = Readonly<{
  userTokenTtlSeconds: Option<number>
  sessionTtlSeconds: Option<number>
}>

type HasLifetimes = Readonly<{ lifetimes: OwnLifetimes }>

/** The lifetimes of an application that has none of its own. */
export const NO_OWN_LIFETIMES: OwnLifetimes = { userTokenTtlSeconds: none, sessionTtlSeconds: none }

/** A year. The shortest lifetime is one second. */
export const MAX_LIFETIME_SECONDS = 365 * 24 * 3600

/** Returns the lifetimes for sign-ins and renewals of an application. No token outlives its session. */
export const lifetimesOf = (application: HasLifetimes, settings: LifetimeSettings): Lifetimes => {
  const { userTokenTtlSeconds, sessionTtlSeconds } = chosenLifetimes(application, settings)
  return { userTokenTtlSeconds: Math.min(userTokenTtlSeconds, sessionTtlSeconds), sessionTtlSeconds }
}

/** A user token has a longer lifetime than its session. */
export type TokenOutlivesSession = Readonly<{ _tag: 'TokenOutlivesSession' }> & Lifetimes

/** Returns what is wrong with the lifetimes of an application under these settings, or undefined. */
export const lifetimesProblem = (
  application: HasLifetimes,
  settings: LifetimeSettings,
): TokenOutlivesSession | undefined => {
  const lifetimes = chosenLifetimes(application, settings)
  return lifetimes.userTokenTtlSeconds > lifetimes.sessionTtlSeconds
    ? { _tag: 'TokenOutlivesSession', ...lifetimes }
    : undefined
}

const chosenLifetimes = ({ lifetimes: own }: HasLifetimes, settings: LifetimeSettings): Lifetimes => ({
  userTokenTtlSeconds: getOrElse(() => settings.userTokenTtlSeconds)(own.userTokenTtlSeconds),
  sessionTtlSeconds: getOrElse(() => settings.sessionTtlSeconds)(own.sessionTtlSeconds),
})

/** What an operator asks for: seconds, `default` for the lifetime of the service, or no change. */
export type LifetimesRequest = Readonly<{
  userTokenTtl?: number | 'default' | undefined
  sessionTtl?: number | 'default' | undefined
}>

/** Returns the lifetimes after a request. */
export const withLifetimes = (own: OwnLifetimes, request: LifetimesRequest): OwnLifetimes => ({
  userTokenTtlSeconds: after(own.userTokenTtlSeconds, request.userTokenTtl),
  sessionTtlSeconds: after(own.sessionTtlSeconds, request.sessionTtl),
})

export const areSameLifetimes = (one: OwnLifetimes, other: OwnLifetimes): boolean =>
  toUndefined(one.userTokenTtlSeconds) === toUndefined(other.userTokenTtlSeconds) &&
  toUndefined(one.sessionTtlSeconds) === toUndefined(other.sessionTtlSeconds)

const after = (current: Option<number>, requested: number | 'default' | undefined): Option<number> => {
  if (requested === undefined) return current
  return requested === 'default' ? none : some(requested)
}
