import { bytesIn, jsonIn } from './encoding.ts'
import type { IssueApplicationTokenAnswer } from './operations.ts'
import type { Result } from './results.ts'
import type { Time } from './time.ts'

/** The token of the application, which all calls share. */
export type ApplicationToken = Readonly<{
  /** A token that lives for a while, or why there is none. Concurrent calls get the same one. */
  get(): Promise<Result<IssueApplicationTokenAnswer>>
  /** Forgets a token that the service refused. A newer one stays. */
  drop(token: string): void
  /** Forgets a token that may lack a scope which the application has got since. False for one that is new. */
  dropOld(token: string): boolean
}>

/** Without this, each call for which the scope is missing would get a token. */
const NEW_MS = 10_000

/** The client renews the token so long before its end, or a tenth of a shorter life. */
const MARGIN_MS = 30_000

/** Wrong API keys count as failures of this network, so they are not sent again with each call. */
const WRONG_KEYS_KEPT_MS = 30_000

/** @param issue gets a new token */
export const applicationToken = (
  issue: () => Promise<Result<IssueApplicationTokenAnswer>>,
  { now }: Time,
): ApplicationToken => {
  let pending: Promise<Result<IssueApplicationTokenAnswer>> | undefined
  let current: Readonly<{ token: string; issuedAt: number; renewAt: number }> | undefined
  let refused: Readonly<{ answer: Promise<Result<IssueApplicationTokenAnswer>>; until: number }> | undefined

  const renewed = async (): Promise<Result<IssueApplicationTokenAnswer>> => {
    try {
      const issued = await issue()
      if (issued.ok)
        current = { token: issued.token, issuedAt: now(), renewAt: now() + lifetimeOf(issued.token) }
      else if (issued.refusal === 'throttled') keep(Promise.resolve(issued), issued.retryAfter * 1000)
      return issued
    } catch (error) {
      if (error instanceof Error && error.name === 'WrongApiKeys')
        keep(Promise.reject(error), WRONG_KEYS_KEPT_MS)
      throw error
    } finally {
      pending = undefined
    }
  }

  const keep = (answer: Promise<Result<IssueApplicationTokenAnswer>>, ms: number): void => {
    answer.catch(() => {}) // maybe no call asks for it
    refused = { answer, until: now() + ms }
  }

  return {
    get: () => {
      if (current !== undefined && now() < current.renewAt)
        return Promise.resolve({ ok: true, token: current.token })
      if (refused !== undefined && now() < refused.until) return refused.answer
      pending ??= renewed()
      return pending
    },
    drop: (token) => {
      if (current?.token === token) current = undefined
    },
    dropOld: (token) => {
      const isNew = current?.token === token && now() < current.issuedAt + NEW_MS
      if (current?.token === token && !isNew) current = undefined
      return !isNew
    },
  }
}

/** Milliseconds, by the clock of the service alone. An unreadable token is used until the service refuses it. */
const lifetimeOf = (token: string): number => {
  const { iat, exp } = jsonIn(bytesIn(token.split('.')[1] ?? ''))
  const ms = (Number(exp) - Number(iat)) * 1000
  return Number.isFinite(ms) ? ms - Math.min(MARGIN_MS, ms / 10) : UNKNOWN_MS
}

const UNKNOWN_MS = 60_000
