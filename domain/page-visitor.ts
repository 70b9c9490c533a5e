import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { assuranceOf, FRESH_SECONDS, isMethods, type Methods } from './assurance.ts'
import { type Factor, isDue } from './factor.ts'
import type { SealedState } from './sealed-state.ts'
import { proofVersion, type User, withoutSessions } from './user.ts'

/**
 * A person on a page who has proved to be this user, and has no session (docs/account-pages.md). The forms of the page carry the proof,
 * sealed. Nothing is stored.
 */
export type PageVisitor = Readonly<{
  kind: 'visitor'
  /** As read. */
  user: User
  methods: Methods
  /** When the visitor proved it last. */
  provedAtMs: number
}>

/** The page on which people manage their second factors. */
export const SECURITY_PAGE = '/account/security'

/** The page on which people change a password. */
export const PASSWORD_PAGE = '/account/password'

/** How long a proof is good for: as long as a session is fresh. */
export const PROOF_SECONDS = FRESH_SECONDS

/** What the proof of a page is sealed for, so that it is none of another page. */
export const proofSubject = (path: string): ReadonlyArray<string> => ['page', path]

/** Returns what the sealed proof of a visitor says. */
export const proofState = ({ user, methods, provedAtMs }: PageVisitor): SealedState => ({
  issuedAtMs: provedAtMs,
  parts: [user.id, proofVersion(user), methods],
})

/** How many parts these are. A page can carry more after them. */
export const PROOF_PARTS = 3

/** Returns the id of the user whom an opened proof names. */
export const provedUserId = ({ parts: [userId = ''] }: SealedState): string => userId

/**
 * Returns the visitor of an opened proof. It is none if the password or the factors were changed since, all sessions were ended
 * together, or the user is not enabled.
 */
export const visitorOf = ({ issuedAtMs, parts }: SealedState, user: User): Option<PageVisitor> => {
  const [userId, version, methods = ''] = parts
  const isCurrent = user.id === userId && proofVersion(user) === version
  return isCurrent && user.status === 'enabled' && isMethods(methods)
    ? some({ kind: 'visitor', user, methods, provedAtMs: issuedAtMs })
    : none
}

/** Returns the visitor after a change of the factors. It has ended all sessions and proofs, so the visitor gets a new one. */
export const visitorAfterChange = (visitor: PageVisitor): PageVisitor => ({
  ...visitor,
  user: withoutSessions(visitor.user),
})

/** Whether the visitor has proved enough to change factors. While a second factor is due, the password alone is not. */
export const mayChangeFactors = (
  { methods }: Pick<PageVisitor, 'methods'>,
  factors: ReadonlyArray<Pick<Factor, 'kind' | 'removed'>>,
): boolean => !isDue(factors) || assuranceOf(methods) === 'aal2'
