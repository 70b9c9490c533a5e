import type { Task } from 'fp-ts/lib/Task.js'
import type { DeletedTable } from '../../../application/log/housekeeping.ts'
import type { MailObserver } from '../../../application/mail/mail-parts.ts'
import type { Clock } from '../../../application/ports/environment.ts'
import type { IdentityProvider } from '../../../application/ports/identity-provider.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { Refusals } from '../../../application/recording/note-refusals.ts'
import type { Throttle } from '../../../application/throttling/throttle.ts'
import type { HasherObserver } from '../instrumentation/password-hasher.ts'
import type { StoreObserver } from '../instrumentation/store.ts'

/**
 * Measures a service. It changes no outcome and never throws. The number of its series is bounded by the routes, statuses and
 * reasons, so that clients cannot fill the memory.
 */
export type Meters = Readonly<{
  /** @param store is asked at each scrape for the end of its log */
  store(store: Pick<Store, 'readEvents'>): ReadonlyArray<StoreObserver>
  passwordHasher: ReadonlyArray<HasherObserver>
  refusals(refusals: Refusals): Refusals
  throttle(throttle: Throttle): Throttle
  /** @param changes how many changes one transaction has committed */
  committedTogether(changes: number): void
  /** Counts expired rows that housekeeping has deleted. */
  expiredDeleted(table: DeletedTable, rows: number): void
  /** @param pending the entries that are not in the tree of the log yet */
  logEntriesPending(pending: number): void
  /** Nothing is wrong with the log and its tree. */
  logSignerWorks(): void
  /** Nothing signs checkpoints until the log or its tree is repaired. */
  logSignerStopped(): void
  /** @param isKnown whether the signature of the token was already verified */
  tokenLookedUp(kind: 'application' | 'user', isKnown: boolean): void
  /** Measures the mails of a service that sends some. `outbox` is asked at a scrape. */
  mails(outbox: Pick<Outbox, 'counts'>, clock: Clock): Pick<MailObserver, 'ended' | 'answered' | 'relayDown'>
  /** Counts what clients and people get from an OpenID provider. */
  openId(): Readonly<{
    authorized(result: 'granted' | 'page' | 'refused'): void
    exchanged(grant: 'authorization_code' | 'refresh_token', result: 'granted' | 'refused'): void
  }>
  /** Returns the same providers, whose answers are counted. */
  identities(providers: ReadonlyArray<IdentityProvider>): ReadonlyArray<IdentityProvider>
  requests: RequestMeters
  /** All metrics in the text format of Prometheus. */
  exposition: Task<Readonly<{ type: string; data: string }>>
}>

export type RequestMeters = Readonly<{
  /** `route` is the pattern of the route; undefined without a route. `abandoned`: the client disconnected before its response. */
  answered(
    how: Readonly<{ method: string; route: string | undefined; status: number | 'abandoned' }>,
    seconds: number,
  ): void
  refused(status: number): void
  connected(): void
  disconnected(): void
}>

export const NO_METERS: Meters = {
  store: () => [],
  passwordHasher: [],
  refusals: (refusals) => refusals,
  throttle: (throttle) => throttle,
  committedTogether: () => {},
  expiredDeleted: () => {},
  logEntriesPending: () => {},
  logSignerWorks: () => {},
  logSignerStopped: () => {},
  tokenLookedUp: () => {},
  mails: () => ({ ended: () => {}, answered: () => {}, relayDown: () => {} }),
  openId: () => ({ authorized: () => {}, exchanged: () => {} }),
  identities: (providers) => providers,
  requests: { answered: () => {}, refused: () => {}, connected: () => {}, disconnected: () => {} },
  exposition: async () => ({ type: 'text/plain; charset=utf-8', data: '' }),
}
