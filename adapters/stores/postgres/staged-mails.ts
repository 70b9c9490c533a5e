import type { Change } from '../../../application/ports/store.ts'
import type { Mail } from '../../../domain/mail.ts'

/** A stored mail that a batch of changes refers to. A failed one has no claim. */
export type FoundMail = Readonly<{ claim: string | null; state: string }>

/** What must be written for the mails of a batch. Each mail is in one list at most. */
export type WrittenMails = Readonly<{
  inserted: ReadonlyArray<Mail>
  deleted: ReadonlyArray<string>
  failed: ReadonlyArray<Readonly<{ id: string; code: string; expires_at: number }>>
}>

/** The mails of a batch, each change as if the accepted changes before it were already stored. */
export const stagedMails = (found: ReadonlyMap<string, FoundMail>) => {
  const stored = new Map(found)
  const inserted = new Map<string, Mail>()
  const failed = new Map<string, WrittenMails['failed'][number]>()

  const remove = (id: string): void => {
    stored.delete(id)
    inserted.delete(id)
  }

  return {
    /** Whether every claim of the change still has its mail. */
    areHeld: ({ settled = [] }: Change): boolean =>
      settled.every(({ id, claim }) => stored.get(id)?.claim === claim),

    stage: ({ mails = [], settled = [], withdrawn = [] }: Change): void => {
      for (const { id, failed: failure } of settled)
        if (failure === undefined) remove(id)
        else {
          stored.set(id, { claim: null, state: 'failed' })
          failed.set(id, { id, code: failure.code, expires_at: failure.keptUntilSeconds })
        }
      for (const id of withdrawn) if (stored.get(id)?.state === 'waiting') remove(id)
      for (const mail of mails) {
        if (stored.has(mail.id)) continue
        stored.set(mail.id, { claim: null, state: 'waiting' })
        inserted.set(mail.id, mail)
      }
    },

    written: (): WrittenMails => ({
      inserted: [...inserted.values()],
      deleted: [...found.keys()].filter((id) => !stored.has(id)),
      failed: [...failed.values()],
    }),
  }
}
