import { pipe } from 'fp-ts/lib/function.js'
import { chain, none, type Option, some } from 'fp-ts/lib/Option.js'
import { base64url } from '../../domain/base64url.ts'
import type { Field } from '../../domain/field.ts'
import { MAX_LIFETIME_SECONDS } from '../../domain/lifetimes.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../domain/second-factor.ts'
import { IDENTITY_SECONDS } from '../factors/identity-transaction.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import { openSealed, type StateKind, sealState } from '../recording/sealed-state.ts'

/**
 * What the cookies of the pages contain, sealed: a cookie is no token, and no token is a cookie. Each purpose has cookies of its own, so one
 * cannot stand for another.
 */
export type BrowserCookies = Readonly<{
  /** Makes the secret of a new cookie. The row of the session has its digest, so no key alone makes a cookie. */
  newSecret: () => NewCookieSecret
  digestOf: (secret: string) => string
  sealSession: (cookie: SessionCookie) => string
  openSession: (cookie: Field) => Option<SessionCookie>
  sealPending: (pending: PendingSignIn) => string
  openPending: (cookie: Field) => Option<PendingSignIn>
  sealAtProvider: (started: AtProvider) => string
  openAtProvider: (cookie: Field) => Option<AtProvider & Readonly<{ startedAtMs: number }>>
  /** The mark that a browser gets with a sign-in, so that the next one there is no news. Absent if no mail would tell of a new one. */
  device?: DeviceCookies | undefined
}>

type DeviceCookies = Readonly<{
  seal: (userId: string) => string
  open: (cookie: Field) => Option<string>
  lifetimeSeconds: number
}>

export type NewCookieSecret = Readonly<{ secret: string; digest: string }>

export type SessionCookie = Readonly<{ sessionId: string; secret: string }>

/** A sign-in that waits for the second factor. `token` completes it, and then the browser goes on to `next`. */
export type PendingSignIn = Readonly<{ token: string; next: string }>

/** What brings the answer of an identity provider back to what it was asked for, and the browser to where it goes on. */
export type AtProvider = Readonly<{
  purpose: AtProviderFor
  provider: string
  transaction: string
  next: string
  /** The language that the person has chosen, or ''. */
  language: string
  /** The session of another user that the person has agreed to end, or ''. */
  replaces: string
}>

export const AT_PROVIDER_FOR = ['sign_in', 'link', 'step_up'] as const
export type AtProviderFor = (typeof AT_PROVIDER_FOR)[number]

/** 128 bits. */
const SECRET_BYTES = 16

/** A renewal seals again, so the life of the session ends a cookie, not this one. */
const SESSION: StateKind = { about: ['browser', 'session'], lifetimeSeconds: MAX_LIFETIME_SECONDS }
const PENDING: StateKind = {
  about: ['browser', 'second factor'],
  lifetimeSeconds: SECOND_FACTOR_TTL_SECONDS,
}

const AT_PROVIDER: StateKind = {
  about: ['browser', 'identity provider'],
  lifetimeSeconds: IDENTITY_SECONDS,
}

/** 400 days: browsers keep no cookie longer. */
const DEVICE: StateKind = { about: ['browser', 'device'], lifetimeSeconds: 400 * 86_400 }

/** @param marksDevices whether a mail tells of each sign-in in a browser that is new */
export const browserCookies = (
  dependencies: Readonly<{ sealing: Sealing; clock: Clock; random: Random; digests: Digests }>,
  marksDevices: boolean,
): BrowserCookies => {
  const { random, digests } = dependencies
  const open = (cookie: Field, kind: StateKind): Option<readonly [string, string]> =>
    pipe(
      openSealed(dependencies, cookie, kind),
      chain(({ parts: [first, second, ...more] }) =>
        first === undefined || second === undefined || more.length > 0 ? none : some([first, second]),
      ),
    )
  return {
    newSecret: () => {
      const secret = base64url(random.bytes(SECRET_BYTES))
      return { secret, digest: digests.sha256(secret) }
    },
    digestOf: (secret) => digests.sha256(secret),
    sealSession: ({ sessionId, secret }) => sealState(dependencies, SESSION, [sessionId, secret]),
    openSession: (cookie) =>
      pipe(
        open(cookie, SESSION),
        chain(([sessionId, secret]) => some({ sessionId, secret })),
      ),
    sealPending: ({ token, next }) => sealState(dependencies, PENDING, [token, next]),
    openPending: (cookie) =>
      pipe(
        open(cookie, PENDING),
        chain(([token, next]) => some({ token, next })),
      ),
    sealAtProvider: ({ purpose, provider, transaction, next, language, replaces }) =>
      sealState(dependencies, AT_PROVIDER, [purpose, provider, transaction, next, language, replaces]),
    openAtProvider: (cookie) =>
      pipe(
        openSealed(dependencies, cookie, AT_PROVIDER),
        chain(
          ({
            parts: [sent, provider = '', transaction = '', next = '', language = '', replaces = ''],
            issuedAtMs,
          }) => {
            const purpose = AT_PROVIDER_FOR.find((one) => one === sent)
            return purpose === undefined
              ? none
              : some({ purpose, provider, transaction, next, language, replaces, startedAtMs: issuedAtMs })
          },
        ),
      ),
    device: marksDevices ? deviceCookies(dependencies) : undefined,
  }
}

const deviceCookies = (dependencies: Parameters<typeof sealState>[0]): DeviceCookies => ({
  seal: (userId) => sealState(dependencies, DEVICE, [userId]),
  open: (cookie) =>
    pipe(
      openSealed(dependencies, cookie, DEVICE),
      chain(({ parts: [userId, ...more] }) =>
        userId === undefined || more.length > 0 ? none : some(userId),
      ),
    ),
  lifetimeSeconds: DEVICE.lifetimeSeconds,
})
