import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { isNone, none, some } from 'fp-ts/lib/Option.js'
import { memoryStorage } from '../../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../../application/ports/outbox.ts'
import type { Change } from '../../../application/ports/store.ts'
import type { Mailing } from '../../testkit/outbox.ts'
import { caughtBy } from './harness.ts'
import { type MutateMailing, mailOf, ofCommit, ofOutbox, waitingMails } from './mailing.ts'
import { mutationsOf, turn } from './mutations.ts'

const { answer } = mutationsOf<Outbox>()
const caught = caughtBy<MutateMailing>

const without = <Name extends 'mails' | 'settled' | 'withdrawn'>(change: Change, name: Name): Change => {
  const { [name]: _, ...rest } = change
  return rest as Change
}

const putAll = async (outbox: Outbox, { mails = [] }: Change): Promise<void> => {
  for (const mail of mails) await outbox.put({ mail, unseenAtMost: 1_000_000 })()
}

/** Looks whether the claims have their mails a turn before it commits. */
const looksEarly = ofCommit(({ store, outbox }) => (change) => async () => {
  for (const { id, claim } of change.settled ?? []) {
    const mail = await mailOf(outbox, id)
    if (mail === undefined || isNone(mail.claim) || mail.claim.value !== claim)
      return left({ _tag: 'Conflict' })
  }
  await turn()
  const written = await store.commit(without(change, 'settled'))()
  for (const settled of change.settled ?? []) await outbox.settle(settled)()
  return written
})

/** Storages that write mails beside their changes. */
export const OUTBOX_CHANGE_MUTATIONS = [
  ...caught('a change adds its mails, or nothing', {
    'adds mails of refused changes': ofCommit(({ store, outbox }) => (change) => async () => {
      await putAll(outbox, change)
      return store.commit(without(change, 'mails'))()
    }),
    'ignores mails': ofCommit(
      ({ store }) =>
        (change) =>
          store.commit(without(change, 'mails')),
    ),
  }),
  ...caught('a change without rows adds its mails', {
    'only appends changes without rows': ofCommit(
      ({ store }) =>
        (change) =>
          store.commit(change.rows.length > 0 ? change : without(change, 'mails')),
    ),
  }),
  ...caught('a change that is committed again adds its mails once', {
    'adds the mails of a known change': ofCommit(({ store, outbox }) => (change) => async () => {
      const written = await store.commit(change)()
      if (isRight(written)) await putAll(outbox, change)
      return written
    }),
  }),
  ...caught('a mail that is there already is not added again', {
    'replaces a known mail': ofCommit(({ store, outbox }) => (change) => async () => {
      await outbox.drop((change.mails ?? []).map(({ id }) => id))()
      return store.commit(change)()
    }),
  }),
  ...caught('a change settles a mail that its claim still has', {
    'settles nothing': ofCommit(
      ({ store }) =>
        (change) =>
          store.commit(without(change, 'settled')),
    ),
    'deletes failed mails': ofCommit(
      ({ store }) =>
        ({ settled = [], ...change }) =>
          store.commit({ ...change, settled: settled.map(({ id, claim }) => ({ id, claim })) }),
    ),
  }),
  ...caught('a change that settles a lost mail is a conflict, and writes nothing', {
    'settles what it can': ofCommit(({ store, outbox }) => (change) => async () => {
      for (const settled of change.settled ?? []) await outbox.settle(settled)()
      return store.commit(without(change, 'settled'))()
    }),
    'settles the first before it refuses': ofCommit(({ store, outbox }) => (change) => async () => {
      const written = await store.commit(change)()
      const [first] = change.settled ?? []
      if (!isRight(written) && first !== undefined) await outbox.settle(first)()
      return written
    }),
  }),
  ...caught('of changes that settle one mail, one is written', { 'looks before it commits': looksEarly }),
  ...caught('a settled mail that failed is not settled again by a change', {
    'settles failed mails': ofCommit(({ store, outbox }) => (change) => async () => {
      const [first] = change.settled ?? []
      const mail = first && (await mailOf(outbox, first.id))
      return store.commit(mail?.state === 'failed' ? without(change, 'settled') : change)()
    }),
  }),
  ...caught('a change withdraws waiting mails, also claimed ones', {
    'withdraws nothing': ofCommit(
      ({ store }) =>
        (change) =>
          store.commit(without(change, 'withdrawn')),
    ),
    'leaves claimed mails to their senders': ofCommit(({ store, outbox }) => (change) => async () => {
      const free = (await waitingMails(outbox)).filter(({ claim }) => isNone(claim)).map(({ id }) => id)
      return store.commit({
        ...change,
        withdrawn: (change.withdrawn ?? []).filter((id) => free.includes(id)),
      })()
    }),
    'withdraws failed mails': ofCommit(({ store, outbox }) => (change) => async () => {
      await outbox.drop(change.withdrawn ?? [])()
      return store.commit(change)()
    }),
  }),
  ...caught('changes at once withdraw a mail in the order in which they are written', {
    'adds mails a turn after their change': ofCommit(({ store, outbox }) => (change) => async () => {
      const written = await store.commit(without(change, 'mails'))()
      await turn()
      await putAll(outbox, change)
      return written
    }),
  }),
]

/** Outboxes that differ after they are opened again. */
export const LASTING_OUTBOX_MUTATIONS = caught('mails are there again, with their claims and leases', {
  'forgets everything': (_, life) => (life === 1 ? {} : { outbox: memoryStorage().outbox }),
  'forgets the claims': (good, life) =>
    life === 1
      ? {}
      : ofOutbox(answer('list', (mails) => mails.map((mail) => ({ ...mail, claim: none }))))(good, life),
})

/** Claims by what the handle itself has claimed. */
const claimsAlone = (good: Mailing) => {
  const own = new Map<string, string>()
  return ofOutbox((outbox) => ({
    claim:
      ({ claim, nowSeconds, limit }) =>
      async () => {
        const due = (await waitingMails(outbox)).filter(
          ({ id, dueAtSeconds }) => !own.has(id) && dueAtSeconds <= nowSeconds,
        )
        const mails = due.slice(0, limit)
        for (const { id } of mails) own.set(id, claim)
        return right(mails.map((mail) => ({ ...mail, claim: some(claim) })))
      },
  }))(good, 1)
}

/** Outboxes whose handles ignore each other. */
export const SHARED_OUTBOX_MUTATIONS = [
  ...caught(
    [
      'mails that are claimed through several handles go to one each',
      'a lease holds for every handle',
      'claims and changes at once lose no mail and claim none twice',
    ],
    { 'claims under a lock of the handle': claimsAlone },
  ),
  ...caught('a handle takes over a mail whose lease has ended', {
    'claims no mail of another handle': ofOutbox(
      answer('claim', (mails) => mails.filter(({ claims }) => claims === 1)),
    ),
  }),
  ...caught('of changes through several handles that settle one mail, one is written', {
    'looks before it commits': looksEarly,
  }),
  ...caught('a handle counts the unseen requests of the others', {
    'counts only its own requests': ofOutbox((good) => {
      let own = 0
      return {
        put: (query) => async () => {
          own += 1
          if (own > query.unseenAtMost) return left({ _tag: 'OutboxFull' })
          return good.put({ ...query, unseenAtMost: 1_000_000 })()
        },
      }
    }),
  }),
]
