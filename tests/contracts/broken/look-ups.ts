import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'
import { type Broken, broken } from './broken.ts'

/** Stores that do not know what to do with a string that no text of theirs can equal. */
export const BROKEN_LOOK_UPS: ReadonlyArray<Broken> = [
  broken(
    'reads no further than U+0000',
    finding('U+0000'),
    asking((asked) => /^[^\0]*/.exec(asked)?.[0] ?? ''),
  ),
  broken(
    'leaves U+0000 out',
    finding('U+0000'),
    asking((asked) => asked.replaceAll('\0', '')),
  ),
  broken(
    'cannot be asked with U+0000',
    finding('U+0000'),
    refusing((asked) => asked.includes('\0')),
  ),
  broken(
    'mends what is no Unicode',
    finding('a lone surrogate'),
    asking((asked) => asked.toWellFormed()),
  ),
  broken(
    'throws at what is no Unicode',
    finding('a lone surrogate'),
    asking((asked) => decodeURIComponent(encodeURIComponent(asked))),
  ),
  broken(
    'cannot be asked with much',
    finding('a megabyte'),
    refusing((asked) => asked.length > 100_000),
  ),
  broken(
    'takes nothing for anything',
    finding('nothing'),
    asking((asked) => asked || 'x@b.example'),
  ),
]

function finding(what: string): string {
  return `a look-up with ${what} finds nothing, and does no harm`
}

/** A store that hears something else. */
function asking(hear: (asked: string) => string) {
  return (store: Store): Partial<Store> => ({
    findApplication: (id) => store.findApplication(hear(id)),
    findUserByEmail: (email) => store.findUserByEmail(hear(email)),
    findSession: (id) => store.findSession(hear(id)),
    findTokenHolder: (id, tokenId) => store.findTokenHolder(hear(id), hear(tokenId)),
    listSessions: (query) => store.listSessions({ ...query, userId: hear(query.userId) }),
  })
}

/** A store that fails when it is asked some things. */
function refusing(isTooMuch: (asked: string) => boolean) {
  const failure: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'invalid byte sequence' }
  return (store: Store): Partial<Store> => ({
    findApplication: (id) => (isTooMuch(id) ? TE.left(failure) : store.findApplication(id)),
    findUserByEmail: (email) => (isTooMuch(email) ? TE.left(failure) : store.findUserByEmail(email)),
    findSession: (id) => (isTooMuch(id) ? TE.left(failure) : store.findSession(id)),
    findTokenHolder: (id, tokenId) =>
      isTooMuch(`${id}${tokenId}`) ? TE.left(failure) : store.findTokenHolder(id, tokenId),
    listSessions: (query) => (isTooMuch(query.userId) ? TE.left(failure) : store.listSessions(query)),
  })
}
