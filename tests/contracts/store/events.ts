import assert from 'node:assert/strict'
import type { Fact } from '../../../application/facts.ts'
import type { Actor, Event, EventType } from '../../../domain/event.ts'
import {
  AT,
  aKey,
  anApplication,
  aSession,
  aUser,
  change,
  changeBy,
  changedPassword,
  createdKey,
  DIGEST,
  issuedToken,
  newId,
  registered,
  registeredApplication,
  signedIn,
  signedOut,
} from '../builders.ts'
import { commitAll, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** What happened is what the log says, to the letter. */
export const eventCases = (check: Check): void => {
  for (const { fact, event, before } of EVERY_EVENT()) {
    check(`${event.type} reads back whole`, async (store) => {
      const happened = change(fact)
      await commitAll(store, ...before.map((earlier) => change(earlier)), happened)
      assert.deepEqual((await wholeLog(store)).at(-1), {
        ...event,
        position: before.length + 1,
        id: happened.id,
        at: AT,
        actor: { kind: 'operator' },
      })
    })
  }

  for (const actor of ACTORS) {
    check(`an actor reads back: ${actor.kind}`, async (store) => {
      await commitAll(store, changeBy({ actor }, issuedToken()))
      assert.deepEqual((await wholeLog(store))[0]?.actor, actor)
    })
  }

  check('a request_id reads back', async (store) => {
    await commitAll(store, changeBy({ requestId: 'req-1._Z' }, issuedToken()))
    assert.equal((await wholeLog(store))[0]?.request_id, 'req-1._Z')
  })

  check('an entry that came of no request has no request_id at all', async (store) => {
    await commitAll(store, changeBy({ requestId: undefined }, issuedToken()))
    const [entry] = await wholeLog(store)
    assert.deepEqual(Object.keys(entry ?? {}).sort(), [
      'actor',
      'at',
      'data',
      'id',
      'position',
      'subject',
      'type',
      'version',
    ])
  })

  check('what the log says outside ASCII reads back as it was written', async (store) => {
    const name = 'Zoë’s “shop” \\ 店 🦊 e\u0301'
    await commitAll(store, change(registeredApplication(anApplication({ name }))))
    const [entry] = await wholeLog(store)
    assert.ok(entry?.type === 'ApplicationRegistered')
    assert.equal(entry.data.name, name)
  })
}

type Case<Type extends EventType> = Readonly<{
  fact: Fact
  event: Extract<Event, { type: Type }>
  /** What has to have happened first. */
  before: ReadonlyArray<Fact>
}>

/** Keyed by type, so that a type that is forgotten here does not compile. */
const EVERY_EVENT = () => {
  const application = anApplication({ name: 'shop', scope: ['users:sign_in', 'users:register'] })
  const key = aKey({ purpose: 'application' })
  const user = aUser()
  const session = aSession({ userId: user.id })
  const [keyId, tokenId] = [newId(), newId()]
  const token = { ...issuedToken({ keyId, tokenId }), applicationId: application.id }

  const cases: { [Type in EventType]: Case<Type> } = {
    ApplicationRegistered: {
      before: [],
      fact: registeredApplication(application),
      event: {
        type: 'ApplicationRegistered',
        version: 1,
        subject: { kind: 'application', id: application.id },
        data: { name: 'shop', scope: 'users:sign_in users:register', key_id: application.keyId },
      },
    },
    ApplicationTokenIssued: {
      before: [],
      fact: token,
      event: {
        type: 'ApplicationTokenIssued',
        version: 1,
        subject: { kind: 'application', id: application.id },
        data: { token_id: tokenId, key_id: keyId, expires_at: '2100-01-01T00:00:00.000Z' },
      },
    },
    UserRegistered: {
      before: [],
      fact: registered(user),
      event: {
        type: 'UserRegistered',
        version: 1,
        subject: { kind: 'user', id: user.id },
        data: { password_digest: DIGEST },
      },
    },
    UserSignedIn: {
      before: [registered(user)],
      fact: signedIn(session),
      event: {
        type: 'UserSignedIn',
        version: 1,
        subject: { kind: 'user', id: user.id },
        data: { session_id: session.id, expires_at: '2100-01-01T00:00:00.000Z' },
      },
    },
    UserSignedOut: {
      before: [registered(user), signedIn(session)],
      fact: signedOut(session),
      event: {
        type: 'UserSignedOut',
        version: 1,
        subject: { kind: 'user', id: user.id },
        data: { session_id: session.id },
      },
    },
    PasswordChanged: {
      before: [registered(user), signedIn(session)],
      fact: changedPassword(user, session),
      event: {
        type: 'PasswordChanged',
        version: 1,
        subject: { kind: 'user', id: user.id },
        data: { password_version: 2, password_digest: DIGEST, session_id: session.id },
      },
    },
    SigningKeyCreated: {
      before: [],
      fact: createdKey(key),
      event: {
        type: 'SigningKeyCreated',
        version: 1,
        subject: { kind: 'key', id: key.kid },
        data: { purpose: 'application' },
      },
    },
  }
  return Object.values(cases)
}

const ACTORS: ReadonlyArray<Actor> = [
  { kind: 'application', id: newId() },
  { kind: 'user', id: newId() },
  { kind: 'operator' },
  { kind: 'nobody' },
]
