import { left, right } from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { OUTBOX_METHODS, type Outbox } from '../../../application/ports/outbox.ts'
import { MAIL_KINDS, type Mail } from '../../../domain/mail.ts'
import { caughtBy } from './harness.ts'
import { type MutateMailing, mailOf, ofOutbox, waitingMails } from './mailing.ts'
import { mutationsOf, turn } from './mutations.ts'

const { answer, hear } = mutationsOf<Outbox>()
const caught = caughtBy<MutateMailing>

const listing = (alter: (mail: Mail) => Partial<Mail>): MutateMailing =>
  ofOutbox(answer('list', (mails) => mails.map((mail) => ({ ...mail, ...alter(mail) }))))

/** Refuses a mail by a number of waiting ones that it counts itself. */
const refusing = (isCounted: (mail: Mail) => boolean): MutateMailing =>
  ofOutbox((good) => ({
    put: (query) => async () => {
      const waiting = await waitingMails(good)
      if (waiting.filter(isCounted).length >= query.unseenAtMost) return left({ _tag: 'OutboxFull' })
      return good.put({ ...query, unseenAtMost: 1_000_000 })()
    },
  }))

const isRequest = ({ kind }: Mail): boolean => MAIL_KINDS[kind].purpose === 'request'

/** Acts as the claim that has the mail now. */
const asHolder = (good: Outbox, held: { id: string; claim: string }) => async () => {
  const mail = await mailOf(good, held.id)
  return mail !== undefined && isSome(mail.claim) ? { ...held, claim: mail.claim.value } : held
}

const EVERY_FIELD = 'a mail reads back with every field'
const POSTPONED = 'a postponed mail is due at its time, with its attempt and a code'
const FAILED = 'a failed mail stays with its code and its address, and is not claimed'
const LISTED = 'mails are listed by id, by their state, and page by page'
const COUNTED = 'mails are counted, with the time at which the first is due'
const RETRIED = 'failed mails wait again, without an attempt or a code'
const DROPPED = 'dropped mails are gone in every state, and others stay'
const DELETED = 'failed mails are deleted that expired first, and no waiting one'
const LEASED = 'a mail is not claimed again during the lease'

export const OUTBOX_MUTATIONS = [
  ...caught(EVERY_FIELD, {
    'lowers an address': listing(({ address }) => ({ address: address.toLowerCase() })),
    'forgets the language': listing(() => ({ language: none })),
    'forgets the application': listing(() => ({ applicationId: none })),
    'forgets where the link leads back to': listing(() => ({ returnTo: none })),
    'forgets the facts': listing(() => ({ facts: {} })),
    'forgets the user': listing(() => ({ userId: none })),
    'gives every mail a user': listing(({ userId }) => ({ userId: isSome(userId) ? userId : some('') })),
    'is due when it was made': listing(({ createdAtSeconds }) => ({ dueAtSeconds: createdAtSeconds })),
    'cuts times to 32 bits': listing(({ expiresAtSeconds }) => ({ expiresAtSeconds: expiresAtSeconds | 0 })),
  }),
  ...caught('a mail of each kind reads back', {
    'takes extra mails for others': listing(({ kind }) => (kind === 'welcome' ? { kind: 'recovery' } : {})),
  }),
  ...caught('a mail that is added again stays as it is', {
    'replaces a known mail': ofOutbox((good) => ({
      put: (query) => async () => {
        await good.drop([query.mail.id])()
        return good.put(query)()
      },
    })),
  }),
  ...caught('too many unseen requests are refused, and notices are not counted', {
    'has no bound': ofOutbox(hear('put', (query) => [{ ...query, unseenAtMost: 1_000_000 }])),
    'counts notices, too': refusing(() => true),
  }),
  ...caught('a known mail is no request too many', {
    'counts before it looks for the mail': refusing((mail) => isRequest(mail) && mail.claims === 0),
  }),
  ...caught('a request that was claimed is seen, also after it was postponed', {
    'counts requests without an attempt': refusing((mail) => isRequest(mail) && mail.attempts === 0),
  }),
  ...caught('due mails are claimed in the order in which they are due, then by id', {
    'claims in the order of ids': ofOutbox(
      answer('claim', (mails) => mails.toSorted((one, other) => (one.id < other.id ? -1 : 1))),
    ),
    'claims what is not due': ofOutbox(hear('claim', (query) => [{ ...query, nowSeconds: 1e12 }])),
    'claims only what is overdue': ofOutbox(
      hear('claim', (query) => [{ ...query, nowSeconds: query.nowSeconds - 1 }]),
    ),
  }),
  ...caught('no more mails are claimed than the limit', {
    'claims one more': ofOutbox(hear('claim', (query) => [{ ...query, limit: query.limit + 1 }])),
  }),
  ...caught('a claimed mail has the claim, one attempt more and one claim more', {
    'answers mails as they were': ofOutbox(
      answer('claim', (mails) => mails.map((mail) => ({ ...mail, attempts: mail.attempts - 1 }))),
    ),
    'counts no claims': listing(() => ({ claims: 0 })),
  }),
  ...caught(LEASED, {
    'has no leases': ofOutbox(hear('claim', (query) => [{ ...query, leaseSeconds: 0 }])),
    'measures a lease by the clock of each sender': ofOutbox((good) => {
      const ends = new Map<string, number>()
      return {
        claim: (query) => async () => {
          const { nowSeconds, leaseSeconds } = query
          const mails = await good.claim({ ...query, leaseSeconds: 0 })()
          if (mails._tag === 'Left') return mails
          const free = mails.right.filter(({ id }) => (ends.get(id) ?? 0) <= nowSeconds)
          for (const { id } of free) ends.set(id, nowSeconds + leaseSeconds)
          return right(free)
        },
      }
    }),
  }),
  ...caught('only requests that were never claimed are claimed if asked', {
    'claims everything': ofOutbox(hear('claim', (query) => [{ ...query, unseenRequestsOnly: false }])),
  }),
  ...caught('of concurrent claims, no two get one mail', {
    'looks a turn before it claims': ofOutbox((good) => ({
      claim: (query) => async () => {
        const waiting = await waitingMails(good)
        await turn()
        await good.claim(query)()
        return right(waiting.slice(0, query.limit))
      },
    })),
  }),
  ...caught(POSTPONED, {
    'postpones nothing': ofOutbox(hear('postpone', (query) => [{ ...query, dueAtSeconds: 0 }])),
    'forgets why': ofOutbox(hear('postpone', (query) => [{ ...query, code: '' }])),
    'gives every attempt back': ofOutbox(hear('postpone', (query) => [{ ...query, givesBack: true }])),
    'keeps the lease': ofOutbox((good) => ({ postpone: () => async () => right(good !== undefined) })),
  }),
  ...caught('an attempt is given back, and its claim is not', {
    'gives no attempt back': ofOutbox(hear('postpone', (query) => [{ ...query, givesBack: false }])),
    'gives the claim back, too': listing(({ attempts }) => ({ claims: attempts })),
  }),
  ...caught('a sender that was overtaken postpones nothing', {
    'postpones a mail of another claim': ofOutbox((good) => ({
      postpone: (query) => async () => good.postpone({ ...query, ...(await asHolder(good, query)()) })(),
    })),
  }),
  ...caught('a settled mail is gone, and others stay', {
    'keeps what is settled': ofOutbox(() => ({ settle: () => async () => right(true) })),
  }),
  ...caught(FAILED, {
    'deletes failed mails': ofOutbox(hear('settle', ({ id, claim }) => [{ id, claim }])),
    'forgets the address of failed mails': listing(({ state, address }) => ({
      address: state === 'failed' ? '' : address,
    })),
  }),
  ...caught('a failed mail is not settled again', {
    'settles failed mails': ofOutbox((good) => ({
      settle: (settled) => async () => {
        const mail = await mailOf(good, settled.id)
        if (mail?.state === 'failed') await good.drop([settled.id])()
        return mail?.state === 'failed' ? right(true) : good.settle(settled)()
      },
    })),
  }),
  ...caught('a sender that was overtaken settles nothing', {
    'settles a mail of another claim': ofOutbox((good) => ({
      settle: (settled) => async () => good.settle({ ...settled, ...(await asHolder(good, settled)()) })(),
    })),
  }),
  ...caught('a sender keeps a mail after its lease, until another one claims it', {
    'takes a mail from its sender when the lease ends': ofOutbox((good) => {
      const ended = new Set<string>()
      return {
        claim: (query) => {
          if (query.leaseSeconds === 0) ended.add(query.claim)
          return good.claim(query)
        },
        settle: (settled) => (ended.has(settled.claim) ? async () => right(false) : good.settle(settled)),
      }
    }),
  }),
  ...caught(LISTED, {
    'lists every state': ofOutbox(hear('list', (query) => [{ ...query, state: none }])),
    'begins every page at the beginning': ofOutbox(hear('list', (query) => [{ ...query, after: '' }])),
    'lists all': ofOutbox(hear('list', (query) => [{ ...query, limit: 1_000 }])),
    'lists backwards': ofOutbox(answer('list', (mails) => mails.toReversed())),
  }),
  ...caught(COUNTED, {
    'counts failed mails as waiting': ofOutbox(
      answer('counts', ({ waiting, failed, ...more }) => ({ waiting: waiting + failed, failed, ...more })),
    ),
    'does not say when the first is due': ofOutbox(
      answer('counts', (counts) => ({ ...counts, oldestDueAtSeconds: none })),
    ),
  }),
  ...caught(RETRIED, {
    'answers how many were asked': ofOutbox(answer('retry', (_, mails) => mails.length)),
    'lets no mail wait again': ofOutbox(() => ({ retry: () => async () => right(1) })),
    'lets them wait at their own time': ofOutbox(
      hear('retry', (mails) => [mails.map((mail) => ({ ...mail, dueAtSeconds: 0 }))]),
    ),
  }),
  ...caught(DROPPED, {
    'drops everything': ofOutbox((good) => ({
      drop: () => async () => {
        const all = await good.list({ state: none, after: '', limit: 1_000 })()
        return all._tag === 'Left' ? all : good.drop(all.right.map(({ id }) => id))()
      },
    })),
    'drops only waiting mails': ofOutbox((good) => ({
      drop: (ids) => async () => {
        const waiting = (await waitingMails(good)).map(({ id }) => id)
        return good.drop(ids.filter((id) => waiting.includes(id)))()
      },
    })),
  }),
  ...caught(DELETED, {
    'deletes the oldest mails': ofOutbox((good) => ({
      deleteFailed:
        ({ limit }) =>
        async () => {
          const failed = await good.list({ state: some('failed'), after: '', limit })()
          return failed._tag === 'Left' ? failed : good.drop(failed.right.map(({ id }) => id))()
        },
    })),
    'deletes waiting mails, too': ofOutbox((good) => ({
      deleteFailed: (query) => async () => {
        await good.drop((await waitingMails(good)).map(({ id }) => id))()
        return good.deleteFailed(query)()
      },
    })),
    'knows no limit': ofOutbox(hear('deleteFailed', (query) => [{ ...query, limit: 1_000 }])),
  }),
  ...OUTBOX_METHODS.flatMap((method) =>
    caught('after the store is closed, every method is StoreUnavailable', {
      [`goes on after that: ${method}`]: ofOutbox(() => ({ [method]: () => async () => right(undefined) })),
    }),
  ),
]
