import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Clock } from '../../../application/ports/environment.ts'
import type { ClaimQuery, HeldMail, Outbox, SettledMail } from '../../../application/ports/outbox.ts'
import type { Change, Conflict, StoreUnavailable } from '../../../application/ports/store.ts'
import type { Mail } from '../../../domain/mail.ts'
import { MAIL_ROW, manyMails } from '../records/mail-row.ts'
import type { Columns } from '../records/rows.ts'
import { STORE_CLOSED } from '../records/unavailable.ts'
import { type Memory, refusalIn } from './contents.ts'
import { byCodePoint, byId } from './order.ts'

/**
 * The outbox in the memory of the process.
 *
 * @param clock begins and ends leases
 */
export const memoryOutbox = (memory: Memory, clock: Clock): Outbox => {
  const { mails } = memory

  const reading =
    <E, A>(work: () => E.Either<E, A>): TaskEither<E | StoreUnavailable, A> =>
    async () =>
      memory.isClosed ? STORE_CLOSED : work()

  const writing = <E, A>(work: () => E.Either<E, A>): TaskEither<E | StoreUnavailable, A> =>
    reading(() => {
      const refused = refusalIn(memory)
      return refused === undefined ? work() : E.left<E | StoreUnavailable>(refused)
    })

  const isUnseen = ({ request, claims, state }: Columns): boolean =>
    request === 1 && claims === 0 && state === 'waiting'

  const claimed = ({ claim, nowSeconds, leaseSeconds, limit, unseenRequestsOnly = false }: ClaimQuery) => {
    const now = clock()
    const due: ReadonlyArray<Columns> = [...mails.values()]
      .filter(
        (row) =>
          row.state === 'waiting' &&
          Number(row.due_at) <= nowSeconds &&
          Number(row.leased_until) <= now &&
          (!unseenRequestsOnly || isUnseen(row)),
      )
      .sort((one, other) => Number(one.due_at) - Number(other.due_at) || byId(one, other))
      .slice(0, Math.max(0, limit))
      .map((row) => ({
        ...row,
        claim,
        leased_until: now + leaseSeconds * 1_000,
        attempts: Number(row.attempts) + 1,
        claims: Number(row.claims) + 1,
      }))
    for (const row of due) mails.set(String(row.id), row)
    return manyMails(due)
  }

  return {
    put: ({ mail, unseenAtMost }) =>
      writing(() => {
        if (!mails.has(mail.id) && [...mails.values()].filter(isUnseen).length >= unseenAtMost)
          return E.left({ _tag: 'OutboxFull' as const })
        addMail(memory, mail)
        return E.right(undefined)
      }),
    claim: (query) => writing(() => claimed(query)),
    postpone: ({ dueAtSeconds, code, givesBack, ...held }) =>
      writing(() => {
        const row = heldMail(memory, held)
        if (row === undefined) return E.right(false)
        const attempts = Number(row.attempts) - (givesBack ? 1 : 0)
        mails.set(held.id, { ...row, due_at: dueAtSeconds, code, attempts, claim: null, leased_until: 0 })
        return E.right(true)
      }),
    settle: (settled) =>
      writing(() => {
        const isHeld = heldMail(memory, settled) !== undefined
        if (isHeld) settleMail(memory, settled)
        return E.right(isHeld)
      }),
    list: ({ state, after, limit }) =>
      reading(() =>
        manyMails(
          [...mails.values()]
            .filter((row) => O.isNone(state) || row.state === state.value)
            .filter(({ id }) => byCodePoint(String(id), after) > 0)
            .sort(byId)
            .slice(0, Math.max(0, limit)),
        ),
      ),
    counts: () =>
      reading(() => {
        const waiting = [...mails.values()].filter(({ state }) => state === 'waiting')
        return E.right({
          waiting: waiting.length,
          failed: mails.size - waiting.length,
          oldestDueAtSeconds: O.fromNullable(waiting.map(({ due_at }) => Number(due_at)).sort(ascending)[0]),
        })
      }),
    retry: (retried) =>
      writing(() => {
        const failed = retried.filter(({ id }) => mails.get(id)?.state === 'failed')
        for (const { id, dueAtSeconds, expiresAtSeconds } of failed) {
          const times = { due_at: dueAtSeconds, expires_at: expiresAtSeconds }
          mails.set(id, { ...mails.get(id), ...times, ...UNTRIED })
        }
        return E.right(failed.length)
      }),
    drop: (ids) => writing(() => E.right(ids.filter((id) => mails.delete(id)).length)),
    deleteFailed: ({ beforeSeconds, limit }) =>
      writing(() => {
        const expired = [...mails.values()]
          .filter(({ state, expires_at }) => state === 'failed' && Number(expires_at) < beforeSeconds)
          .sort((one, other) => Number(one.expires_at) - Number(other.expires_at) || byId(one, other))
          .slice(0, Math.max(0, limit))
        for (const { id } of expired) mails.delete(String(id))
        return E.right(expired.length)
      }),
  }
}

/** Whether a change settles a mail that its sender has no longer. */
export const lostMail = (memory: Memory, { settled = [] }: Change): Conflict | undefined =>
  settled.every((mail) => heldMail(memory, mail) !== undefined) ? undefined : { _tag: 'Conflict' }

/** Writes the mails of a change that is accepted. */
export const writeMails = (memory: Memory, { mails = [], settled = [], withdrawn = [] }: Change): void => {
  for (const mail of settled) settleMail(memory, mail)
  for (const id of withdrawn) if (memory.mails.get(id)?.state === 'waiting') memory.mails.delete(id)
  for (const mail of mails) addMail(memory, mail)
}

export const addMail = ({ mails }: Memory, mail: Mail): void => {
  if (!mails.has(mail.id)) mails.set(mail.id, { ...MAIL_ROW.encode(mail), leased_until: 0 })
}

const heldMail = ({ mails }: Memory, { id, claim }: HeldMail): Columns | undefined => {
  const row = mails.get(id)
  return row?.state === 'waiting' && row.claim === claim ? row : undefined
}

const settleMail = ({ mails }: Memory, { id, failed }: SettledMail): void => {
  const row = mails.get(id)
  if (failed === undefined || row === undefined) mails.delete(id)
  else {
    const { code, keptUntilSeconds } = failed
    mails.set(id, {
      ...row,
      state: 'failed',
      code,
      expires_at: keptUntilSeconds,
      claim: null,
      leased_until: 0,
    })
  }
}

const UNTRIED = { state: 'waiting', attempts: 0, claim: null, code: null, leased_until: 0 } as const

const ascending = (one: number, other: number): number => one - other
