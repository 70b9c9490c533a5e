import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  anApplication,
  aRevokedToken,
  change,
  issuedToken,
  newId,
  registeredApplication,
  revokedToken,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** An application is found together with what is known of one of its tokens. */
export const revokedTokenCases = (check: Check): void => {
  check('a revoked token reads back field by field, with its application', async (store) => {
    const application = anApplication({
      name: 'shop',
      previousKey: some({ id: newId(), digest: 'e7'.repeat(32), untilSeconds: 4_102_444_802 }),
    })
    const token = { id: newId(), applicationId: application.id, expiresAtSeconds: 4_102_444_803, version: 1 }
    await commitAll(store, change(registeredApplication(application)), change(revokedToken(token)))
    assert.deepEqual(
      await ok(store.findTokenHolder(application.id, token.id)),
      some({ application, revocation: some(token) }),
    )
  })

  check('a token that was not revoked has no revocation, also among others', async (store) => {
    const application = anApplication()
    await commitAll(store, change(registeredApplication(application), revokedToken(), revokedToken()))
    const holder = some({ application, revocation: none })
    for (const tokenId of [newId(), application.id, '', '%'])
      assert.deepEqual(await ok(store.findTokenHolder(application.id, tokenId)), holder)
  })

  check('a token that was revoked has no holder where there is no such application', async (store) => {
    const token = aRevokedToken()
    await commitAll(store, change(registeredApplication(), revokedToken(token)))
    assert.deepEqual(await ok(store.findTokenHolder(token.applicationId, token.id)), none)
    assert.deepEqual(await ok(store.findTokenHolder(newId(), newId())), none)
  })

  check("the revocation of another application's token is found too", async (store) => {
    const application = anApplication()
    const token = aRevokedToken()
    await commitAll(store, change(registeredApplication(application), revokedToken(token)))
    assert.deepEqual(
      await ok(store.findTokenHolder(application.id, token.id)),
      some({ application, revocation: some(token) }),
    )
  })

  check('the holder of a token is as last written', async (store) => {
    const application = anApplication()
    const later = { ...application, revoked: true, version: 2 }
    const write = { ...change(issuedToken()), rows: [{ table: 'applications' as const, row: later }] }
    await commitAll(store, change(registeredApplication(application)), write)
    assert.deepEqual(
      await ok(store.findTokenHolder(application.id, newId())),
      some({ application: later, revocation: none }),
    )
  })

  check('a token is revoked as soon as that is committed', async (store) => {
    const application = anApplication()
    await commitAll(store, change(registeredApplication(application)))
    const revokeAndRead = async () => {
      const token = aRevokedToken({ applicationId: application.id })
      await ok(store.commit(change(revokedToken(token))))
      assert.deepEqual(
        await ok(store.findTokenHolder(application.id, token.id)),
        some({ application, revocation: some(token) }),
      )
    }
    await Promise.all(Array.from({ length: 30 }, revokeAndRead))
  })
}
