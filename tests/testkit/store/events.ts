import assert from 'node:assert/strict'
import type { RefusalFact } from '../../../application/recording/facts.ts'
import type { Actor } from '../../../domain/event.ts'
import {
  AT,
  aFactor,
  anApplication,
  aOneTimeToken,
  aSession,
  aUser,
  change,
  changeBy,
  enrolled,
  issuedToken,
  newId,
  registeredApplication,
} from '../builders.ts'
import { commitAll, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'
import { everyEvent } from './every-event.ts'
import {
  IDENTITY_REASONS,
  REASONS,
  SECOND_FACTOR_REASONS,
  SIGN_IN_REASONS,
  TOKEN_REASONS,
} from './refusal-reasons.ts'

/** What happened is what the log says, to the letter. */
export const eventCases = (check: Check): void => {
  for (const { fact, event, before } of everyEvent()) {
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

  check('a summary of refusals reads back with all its reasons', async (store) => {
    await commitAll(
      store,
      change({
        _tag: 'RefusalsSummarized',
        type: 'PasswordChangeRefused',
        count: REASONS.length,
        fromMilliseconds: 0,
        toMilliseconds: 0,
        reasons: new Map(REASONS.map((reason) => [reason, 1])),
        subjects: new Map(),
      }),
    )
    const [entry] = await wholeLog(store)
    assert.deepEqual(entry?.data, {
      type: 'PasswordChangeRefused',
      count: REASONS.length,
      from: '1970-01-01T00:00:00.000Z',
      to: '1970-01-01T00:00:00.000Z',
      reasons: REASONS.map((reason) => ({ reason, count: 1 })),
      subjects: [],
    })
  })

  check('a refusal reads back with its reason', async (store) => {
    const refusals = [...TOKEN_REFUSALS, ...SIGN_IN_REFUSALS, ...SECOND_FACTOR_REFUSALS, ...IDENTITY_REFUSALS]
    await commitAll(store, ...refusals.map((fact) => change(fact)))
    assert.deepEqual(
      (await wholeLog(store)).map(({ type, data }) => ({ type, data })),
      refusals.map(({ _tag, reason }) => ({ type: _tag, data: { reason } })),
    )
  })

  check('a refusal of an unknown subject is about the service', async (store) => {
    await commitAll(
      store,
      change({ _tag: 'ApplicationTokenRefused', applicationId: undefined, reason: 'malformed_key' }),
      change({ _tag: 'SignInRefused', userId: undefined, reason: 'unknown_email' }),
      change({ _tag: 'SecondFactorRefused', userId: undefined, reason: 'token_ended' }),
      change({ _tag: 'IdentityRefused', userId: undefined, provider: undefined, reason: 'invalid_fields' }),
      change({ _tag: 'RecoveryRefused', userId: undefined, codes: [4] }),
      change({ _tag: 'EmailConfirmationRefused', userId: undefined, codes: [4] }),
    )
    const service = { kind: 'service', id: 'portcullis' }
    assert.deepEqual(
      (await wholeLog(store)).map(({ subject }) => subject),
      [service, service, service, service, service, service],
    )
  })

  check('the codes of a refused password change read back, none, one or many', async (store) => {
    const lists = [[], [4], [2, 4, 5]]
    await commitAll(
      store,
      ...lists.map((codes) => change({ _tag: 'PasswordChangeRefused', userId: newId(), codes })),
    )
    assert.deepEqual(
      (await wholeLog(store)).map(({ data }) => data),
      lists.map((codes) => ({ codes })),
    )
  })

  for (const actor of ACTORS) {
    check(`an actor reads back: ${actor.kind}`, async (store) => {
      await commitAll(store, changeBy({ actor }, issuedToken()))
      assert.deepEqual((await wholeLog(store))[0]?.actor, actor)
    })
  }

  check('the optional fields of an event read back, or are absent', async (store) => {
    const [user, session, factor] = [aUser(), aSession(), aFactor()]
    const passkey = aFactor({ kind: 'passkey', counter: 4_294_967_295 })
    const token = aOneTimeToken({ purpose: 'sign_in', email: '' })
    await commitAll(
      store,
      ...[
        enrolled(factor, user),
        { _tag: 'RecoveryCodesGenerated', user, codes: aFactor({ counter: 10 }) } as const,
        { _tag: 'FactorRemoved', user, factor, factors: [] } as const,
        { _tag: 'FactorUsed', user, factor } as const,
        {
          _tag: 'FactorUsed',
          user,
          factor: passkey,
          counterWentBack: true,
          backupEligible: false,
        } as const,
        { _tag: 'UserSignedIn', session, token } as const,
        { _tag: 'FactorImported', factor: passkey } as const,
      ].map((fact) => ({ ...change(fact), rows: [] })),
    )
    const [enrolling, generating, removing, used, wentBack, signedIn, imported] = (await wholeLog(store)).map(
      ({ data }) => data,
    )
    for (const data of [enrolling, generating, removing]) assert.ok(data && !('session_id' in data))
    assert.ok(used && !('codes_left' in used) && !('counter' in used) && !('counter_went_back' in used))
    assert.ok(!('backup_eligible' in used))
    assert.ok(wentBack && 'counter' in wentBack && wentBack.counter === 4_294_967_295)
    assert.ok(wentBack && 'counter_went_back' in wentBack && wentBack.counter_went_back)
    assert.ok('backup_eligible' in wentBack && wentBack.backup_eligible === false)
    assert.ok(signedIn && 'token_id' in signedIn && signedIn.token_id === token.id)
    assert.ok(imported && 'counter' in imported && imported.counter === 4_294_967_295)
  })

  check('the name of an operator reads back', async (store) => {
    const actor: Actor = { kind: 'operator', id: 'Zoë 店' }
    await commitAll(store, changeBy({ actor }, issuedToken()))
    assert.deepEqual((await wholeLog(store))[0]?.actor, actor)
  })

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

const ACTORS: ReadonlyArray<Actor> = [
  { kind: 'application', id: newId() },
  { kind: 'user', id: newId() },
  { kind: 'operator' },
  { kind: 'nobody' },
]

type Refused<Tag extends RefusalFact['_tag']> = Extract<RefusalFact, { _tag: Tag }>

const TOKEN_REFUSALS = TOKEN_REASONS.map(
  (reason): Refused<'ApplicationTokenRefused'> => ({
    _tag: 'ApplicationTokenRefused',
    applicationId: newId(),
    reason,
  }),
)

const SIGN_IN_REFUSALS = SIGN_IN_REASONS.map(
  (reason): Refused<'SignInRefused'> => ({ _tag: 'SignInRefused', userId: newId(), reason }),
)

const SECOND_FACTOR_REFUSALS = SECOND_FACTOR_REASONS.map(
  (reason): Refused<'SecondFactorRefused'> => ({ _tag: 'SecondFactorRefused', userId: newId(), reason }),
)

const IDENTITY_REFUSALS = IDENTITY_REASONS.map(
  (reason): Refused<'IdentityRefused'> => ({
    _tag: 'IdentityRefused',
    userId: newId(),
    provider: undefined,
    reason,
  }),
)
