import { getOrElse, none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'

/** How many seconds a user token and its session live. */
export type Lifetimes = Readonly<{
  userTokenTtlSeconds: number
  /** Of a session that is not renewed. */
  idleTtlSeconds: number
  /** Of a session, however often it is renewed. */
  sessionTtlSeconds: number
  /** Whether it is the lifetime of a remembered session. */
  remembered: boolean
}>

/** The lifetimes of the service. Without an idle time, a session lives as long as its last token. */
export type LifetimeSettings = Readonly<{
  userTokenTtlSeconds: number
  idleTtlSeconds: number | undefined
  sessionTtlSeconds: number
  /** Of a remembered session: its idle time and its whole life. Undefined: no session is remembered. */
  rememberTtlSeconds: number | undefined
}>

/** The lifetimes that an application has instead of those of the service: none is the lifetime of the service. */
export type OwnLifetimes = Readonly<{
  userTokenTtlSeconds: Option<number>
  idleTtlSeconds: Option<number>
  sessionTtlSeconds: Option<number>
  rememberTtlSeconds: Option<number>
}>

type HasLifetimes = Readonly<{ lifetimes: OwnLifetimes }>

/** The lifetimes of an application that has none of its own. */
export const NO_OWN_LIFETIMES: OwnLifetimes = {
  userTokenTtlSeconds: none,
  idleTtlSeconds: none,
  sessionTtlSeconds: none,
  rememberTtlSeconds: none,
}

/** A year. The shortest lifetime is one second. */
export const MAX_LIFETIME_SECONDS = 365 * 24 * 3600

/**
 * Returns the lifetimes for each token and session of an application. No token outlives its idle session, and no idle time the session.
 *
 * @param remember whether the user wants to be remembered, which has no effect without a lifetime for it
 */
export const lifetimesOf = (
  application: HasLifetimes,
  settings: LifetimeSettings,
  remember: boolean,
): Lifetimes => {
  const chosen = chosenLifetimes(application, settings)
  const { rememberTtlSeconds: ofRemembered } = chosen
  const remembered = remember && ofRemembered !== undefined
  const sessionTtlSeconds = remembered ? ofRemembered : chosen.sessionTtlSeconds
  const userTokenTtlSeconds = Math.min(chosen.userTokenTtlSeconds, sessionTtlSeconds)
  const idleTtlSeconds = remembered
    ? ofRemembered
    : Math.min(Math.max(chosen.idleTtlSeconds ?? 0, userTokenTtlSeconds), sessionTtlSeconds)
  return { userTokenTtlSeconds, idleTtlSeconds, sessionTtlSeconds, remembered }
}

/** Returns how long after its signature a user token can renew its session. */
export const longestIdleSeconds = (application: HasLifetimes, settings: LifetimeSettings): number =>
  Math.max(...[false, true].map((remember) => lifetimesOf(application, settings, remember).idleTtlSeconds))

/** Returns how long the longest session of an application lives, however often it is renewed. */
export const longestSessionSeconds = (application: HasLifetimes, settings: LifetimeSettings): number =>
  Math.max(...[false, true].map((remember) => lifetimesOf(application, settings, remember).sessionTtlSeconds))

/** A user token has a longer lifetime than its session. */
export type TokenOutlivesSession = Readonly<{
  _tag: 'TokenOutlivesSession'
  userTokenTtlSeconds: number
  sessionTtlSeconds: number
}>

/** A session could be idle for longer than it lives. */
export type IdleOutlivesSession = Readonly<{
  _tag: 'IdleOutlivesSession'
  idleTtlSeconds: number
  sessionTtlSeconds: number
}>

export type LifetimesProblem = TokenOutlivesSession | IdleOutlivesSession

/** Returns what is wrong with the lifetimes of an application under these settings, or undefined. */
export const lifetimesProblem = (
  application: HasLifetimes,
  settings: LifetimeSettings,
): LifetimesProblem | undefined => {
  const { userTokenTtlSeconds, idleTtlSeconds, sessionTtlSeconds } = chosenLifetimes(application, settings)
  if (userTokenTtlSeconds > sessionTtlSeconds)
    return { _tag: 'TokenOutlivesSession', userTokenTtlSeconds, sessionTtlSeconds }
  return idleTtlSeconds !== undefined && idleTtlSeconds > sessionTtlSeconds
    ? { _tag: 'IdleOutlivesSession', idleTtlSeconds, sessionTtlSeconds }
    : undefined
}

/** Remembered sessions would end before ordinary ones. */
export type ForgetsEarly = Readonly<{ rememberTtlSeconds: number; sessionTtlSeconds: number }>

/** Returns both lifetimes if users who are remembered must sign in again before the others. Otherwise undefined. */
export const forgetsEarly = (
  application: HasLifetimes,
  settings: LifetimeSettings,
): ForgetsEarly | undefined => {
  const { rememberTtlSeconds, sessionTtlSeconds } = chosenLifetimes(application, settings)
  return rememberTtlSeconds !== undefined && rememberTtlSeconds < sessionTtlSeconds
    ? { rememberTtlSeconds, sessionTtlSeconds }
    : undefined
}

const chosenLifetimes = ({ lifetimes: own }: HasLifetimes, settings: LifetimeSettings): LifetimeSettings => ({
  userTokenTtlSeconds: getOrElse(() => settings.userTokenTtlSeconds)(own.userTokenTtlSeconds),
  idleTtlSeconds: toUndefined(own.idleTtlSeconds) ?? settings.idleTtlSeconds,
  sessionTtlSeconds: getOrElse(() => settings.sessionTtlSeconds)(own.sessionTtlSeconds),
  rememberTtlSeconds: toUndefined(own.rememberTtlSeconds) ?? settings.rememberTtlSeconds,
})

/** What an operator asks for: seconds, `default` for the lifetime of the service, or no change. */
export type LifetimesRequest = Readonly<{
  userTokenTtl?: LifetimeRequest
  idleTtl?: LifetimeRequest
  sessionTtl?: LifetimeRequest
  rememberTtl?: LifetimeRequest
}>

type LifetimeRequest = number | 'default' | undefined

/** Whether a request is about lifetimes. */
export const isAboutLifetimes = ({
  userTokenTtl,
  idleTtl,
  sessionTtl,
  rememberTtl,
}: LifetimesRequest): boolean =>
  [userTokenTtl, idleTtl, sessionTtl, rememberTtl].some((requested) => requested !== undefined)

/** Returns the lifetimes after a request. */
export const withLifetimes = (own: OwnLifetimes, request: LifetimesRequest): OwnLifetimes => ({
  userTokenTtlSeconds: after(own.userTokenTtlSeconds, request.userTokenTtl),
  idleTtlSeconds: after(own.idleTtlSeconds, request.idleTtl),
  sessionTtlSeconds: after(own.sessionTtlSeconds, request.sessionTtl),
  rememberTtlSeconds: after(own.rememberTtlSeconds, request.rememberTtl),
})

export const areSameLifetimes = (one: OwnLifetimes, other: OwnLifetimes): boolean =>
  OWN.every((name) => toUndefined(one[name]) === toUndefined(other[name]))

const OWN = Object.keys(NO_OWN_LIFETIMES) as ReadonlyArray<keyof OwnLifetimes>

const after = (current: Option<number>, requested: LifetimeRequest): Option<number> => {
  if (requested === undefined) return current
  return requested === 'default' ? none : some(requested)
}
