import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { ClaimQuery, Outbox } from '../../../application/ports/outbox.ts'
import { type Mail, newMail } from '../../../domain/mail.ts'
import { newId } from '../builders.ts'
import { ok } from '../outcome.ts'

/** When each mail is due, unless a case says another time. */
export const NOW = 1_800_000_000

/** A mail that waits. By default it is a notice. */
export const aMail = (fields: Partial<Mail> = {}): Mail => {
  const id = newId()
  const of = {
    id,
    kind: 'password_changed',
    userId: some(newId()),
    address: `${id}@example.com`,
    language: none,
  } as const
  return { ...newMail(of, NOW), ...fields }
}

export const aRequest = (fields: Partial<Mail> = {}): Mail => aMail({ kind: 'recovery', ...fields })

/** Adds mails, without a bound. */
export const put = async (outbox: Outbox, ...mails: ReadonlyArray<Mail>): Promise<void> => {
  for (const mail of mails) await ok(outbox.put({ mail, unseenAtMost: 1_000_000 }))
}

/** Claims the mails that are due, with a lease that no case outlives. */
export const claim = (outbox: Outbox, query: Partial<ClaimQuery> = {}): Promise<ReadonlyArray<Mail>> =>
  ok(outbox.claim({ claim: newId(), nowSeconds: NOW, leaseSeconds: 3_600, limit: 100, ...query }))

/** All mails by their ids. */
export const listed = (outbox: Outbox, state: Option<Mail['state']> = none): Promise<ReadonlyArray<Mail>> =>
  ok(outbox.list({ state, after: '', limit: 10_000 }))

export const idsOf = (mails: ReadonlyArray<Mail>): ReadonlyArray<string> => mails.map(({ id }) => id)

/** The mail after one claim. */
export const claimed = (mail: Mail, claim: string): Mail => ({
  ...mail,
  attempts: mail.attempts + 1,
  claims: mail.claims + 1,
  claim: some(claim),
})

/** Adds a mail, and claims it. */
export const held = async (outbox: Outbox, mail: Mail = aMail()) => {
  await put(outbox, mail)
  const id = newId()
  await claim(outbox, { claim: id })
  return { id: mail.id, claim: id, mail: claimed(mail, id) } as const
}

/** A failure that is kept for long. */
export const FAILED = { code: '550', keptUntilSeconds: NOW + 604_800 } as const
