import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  startedRecovery,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A look-up may be asked with any string, for it may come from a client; what no text in a store can equal finds nothing. */
export const lookUpCases = (check: Check): void => {
  for (const [what, stored, ask] of UNSTORABLE) {
    check(`a look-up with ${what} finds nothing, and does no harm`, async (store) => {
      const user = aUser({ email: stored })
      const application = anApplication({ id: stored })
      const session = aSession({ id: stored, userId: user.id })
      const token = aRevokedToken({ id: stored, applicationId: stored })
      const another = aSession({ userId: stored })
      const namesake = aUser({ id: stored })
      const recovery = aOneTimeToken({ digest: stored, userId: user.id, applicationId: stored })
      await commitAll(
        store,
        change(registered(user), registeredApplication(application), signedIn(session)),
        change(revokedToken(token), signedIn(another), registered(namesake), startedRecovery(recovery)),
      )
      for (const asked of ask) {
        assert.deepEqual(await ok(store.findApplication(asked)), none, JSON.stringify(asked))
        assert.deepEqual(await ok(store.findUserByEmail(asked)), none, JSON.stringify(asked))
        assert.deepEqual(await ok(store.findUser(asked)), none, JSON.stringify(asked))
        assert.deepEqual(await ok(store.findOneTimeToken(asked)), none, JSON.stringify(asked))
        assert.deepEqual(
          await ok(store.findKnownUsers({ emailKeys: [asked, stored], ids: [asked, stored] })),
          { emailKeys: [stored], ids: [stored] },
          JSON.stringify(asked),
        )
        assert.deepEqual(await ok(store.findSession(asked)), none, JSON.stringify(asked))
        assert.deepEqual(await ok(store.findTokenHolder(asked, stored)), none, JSON.stringify(asked))
        assert.deepEqual(
          await ok(store.findTokenHolder(stored, asked)),
          some({ application, revocation: none }),
          JSON.stringify(asked),
        )
        assert.deepEqual(await ok(store.listSessions(sessionsOf(asked))), [], JSON.stringify(asked))
      }
      assert.deepEqual(await ok(store.findApplication(stored)), some(application))
      assert.deepEqual(await ok(store.findUserByEmail(stored)), some(user))
      assert.deepEqual(await ok(store.findUser(stored)), some(namesake))
      assert.deepEqual(await ok(store.findOneTimeToken(stored)), some({ token: recovery, user, application }))
      assert.deepEqual(await ok(store.findSession(stored)), some({ session, user, application: none }))
      assert.deepEqual(
        await ok(store.findTokenHolder(stored, stored)),
        some({ application, revocation: some(token) }),
      )
      assert.deepEqual(await ok(store.listSessions(sessionsOf(stored))), [another])
    })
  }
}

const sessionsOf = (userId: string) => ({ userId, passwordVersion: 1, expiresAfterSeconds: 0, limit: 10 })

/** What is asked, and what stands in the store that a careless look-up might take for it. */
const UNSTORABLE: ReadonlyArray<readonly [what: string, stored: string, ask: ReadonlyArray<string>]> = [
  ['U+0000', 'a@b.example', ['\0', 'a@b.example\0', '\0a@b.example', 'a@b\0.example', 'a@b.example\0c']],
  ['a lone surrogate', 'a\ufffd@b.example', ['\ud800', '\udfff', 'a\ud800@b.example', 'a\udc00@b.example']],
  ['a megabyte', 'x@b.example', ['x'.repeat(2 ** 20)]],
  ['nothing', 'x@b.example', ['']],
]
