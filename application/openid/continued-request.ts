import { pipe } from 'fp-ts/lib/function.js'
import { chain, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Field } from '../../domain/field.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import { openSealed, type StateKind, sealState } from '../recording/sealed-state.ts'

/**
 * A request for authorization that goes on after a page. It is the same request with one more parameter: sealed, the time from which an
 * authentication is enough. It opens for this very request only, so nobody makes a client believe in an older authentication than it asked for.
 * Nothing is stored: who leaves the page leaves nothing behind.
 */
export type ContinuedRequests = Readonly<{
  /** @param request its parameters as sent, without this one */
  seal: (request: string, sinceSeconds: number) => string
  open: (sent: Field, request: string) => Option<number>
}>

/** A person may leave the page open for an hour. Afterwards the request begins anew. */
const LIFETIME_SECONDS = 3_600

export const continuedRequests = (
  dependencies: Readonly<{ sealing: Sealing; clock: Clock; random: Random; digests: Digests }>,
): ContinuedRequests => {
  const kindOf = (request: string): StateKind => ({
    about: ['authorization', 'continued', dependencies.digests.sha256(request)],
    lifetimeSeconds: LIFETIME_SECONDS,
  })
  return {
    seal: (request, sinceSeconds) => sealState(dependencies, kindOf(request), [String(sinceSeconds)]),
    open: (sent, request) =>
      pipe(
        openSealed(dependencies, sent, kindOf(request)),
        chain(({ parts: [since] }) =>
          since === undefined || !/^\d{1,12}$/.test(since) ? none : some(Number(since)),
        ),
      ),
  }
}
