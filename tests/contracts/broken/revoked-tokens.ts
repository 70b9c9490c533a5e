import { map, none } from 'fp-ts/lib/Option.js'
import type { Store, TokenHolder } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import type { RevokedToken } from '../../../domain/token.ts'
import { anApplication, aRevokedToken } from '../builders.ts'
import { altered, type Broken, broken } from './broken.ts'
import { spoil } from './records.ts'

const FIELD_BY_FIELD = 'a revoked token reads back field by field, with its application'
const NOT_REVOKED = 'a token that was not revoked has no revocation, also among others'
const NO_HOLDER = 'a token that was revoked has no holder where there is no such application'
const ANOTHERS = "the revocation of another application's token is found too, for whoever asks to judge"

/** Stores that know something else of a token and its application. */
export const BROKEN_REVOKED_TOKENS: ReadonlyArray<Broken> = [
  ...(['id', 'applicationId', 'expiresAtSeconds', 'version'] satisfies Array<keyof RevokedToken>).map(
    (field) =>
      broken(`spoils a revoked token's ${field}`, FIELD_BY_FIELD, (store) =>
        telling(store, (holder) => ({
          ...holder,
          revocation: map(spoil<RevokedToken>(field))(holder.revocation),
        })),
      ),
  ),
  ...(
    ['id', 'name', 'scope', 'keyId', 'keyDigest', 'previousKey', 'revoked', 'version'] satisfies Array<
      keyof Application
    >
  ).map((field) =>
    broken(`spoils the ${field} of the application that holds a token`, FIELD_BY_FIELD, (store) =>
      telling(store, (holder) => ({ ...holder, application: spoil<Application>(field)(holder.application) })),
    ),
  ),
  broken('takes any token for a revoked one', NOT_REVOKED, (store) =>
    telling(store, (holder) => ({ ...holder, revocation: { _tag: 'Some', value: aRevokedToken() } })),
  ),
  broken('takes every token of an application for revoked, once one is', NOT_REVOKED, (store) => {
    let any = none as TokenHolder['revocation']
    return {
      commit: (change) => {
        for (const { table, row } of change.rows) {
          if (table === 'revoked_tokens') any = { _tag: 'Some', value: row }
        }
        return store.commit(change)
      },
      ...telling(store, (holder) => ({ ...holder, revocation: any })),
    }
  }),
  broken('makes an application up for a token that was revoked', NO_HOLDER, (store) => ({
    findTokenHolder: (applicationId, tokenId) =>
      altered(store.findTokenHolder(applicationId, tokenId), (found) =>
        found._tag === 'Some'
          ? found
          : { _tag: 'Some', value: { application: anApplication({ id: applicationId }), revocation: none } },
      ),
  })),
  broken("does not find the revocation of another application's token", ANOTHERS, (store) =>
    telling(store, (holder) =>
      holder.revocation._tag === 'Some' && holder.revocation.value.applicationId !== holder.application.id
        ? { ...holder, revocation: none }
        : holder,
    ),
  ),
  broken('keeps the first application it was shown', 'the holder of a token is as last written', (store) => {
    const first = new Map<string, Application>()
    return {
      commit: (change) => {
        for (const { table, row } of change.rows)
          if (table === 'applications' && row.version === 1) first.set(row.id, row)
        return store.commit(change)
      },
      ...telling(store, (holder) => ({
        ...holder,
        application: first.get(holder.application.id) ?? holder.application,
      })),
    }
  }),
  broken('revokes a token a little later', 'a token is revoked as soon as that is committed', (store) => {
    const known = new Set<string>()
    return {
      commit: (change) => async () => {
        const outcome = await store.commit(change)()
        setImmediate(() => {
          for (const { row } of change.rows) known.add(row.id)
        })
        return outcome
      },
      ...telling(store, (holder) =>
        holder.revocation._tag === 'Some' && known.has(holder.revocation.value.id)
          ? holder
          : { ...holder, revocation: none },
      ),
    }
  }),
]

/** A store that says something else of whom it has found. */
function telling(store: Store, tell: (holder: TokenHolder) => TokenHolder): Pick<Store, 'findTokenHolder'> {
  return {
    findTokenHolder: (applicationId, tokenId) =>
      altered(store.findTokenHolder(applicationId, tokenId), map(tell)),
  }
}
