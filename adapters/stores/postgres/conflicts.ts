import {
  type Change,
  type Conflict,
  type EmailTaken,
  perTable,
  type Row,
  type Table,
} from '../../../application/ports/store.ts'
import { emailKey } from '../../../domain/user.ts'
import { type FoundMail, stagedMails, type WrittenMails } from './staged-mails.ts'

export type { FoundMail } from './staged-mails.ts'

/** The stored rows and events that a batch of changes refers to. A row or event that is not listed does not exist. */
export type Found = Readonly<{
  eventIds: ReadonlySet<string>
  versions: Readonly<Record<Table, ReadonlyMap<string, number>>>
  /** The e-mail keys of the users found, by user id. */
  emailKeys: ReadonlyMap<string, string>
  mails: ReadonlyMap<string, FoundMail>
}>

/** The outcome of a change, provided that the transaction is committed. */
export type ChangeOutcome = 'written' | 'already committed' | 'duplicate event' | Conflict | EmailTaken

/** The outcomes of a batch, and what must be written for them. */
export type Checked = Readonly<{
  outcomes: ReadonlyArray<ChangeOutcome>
  /** The changes to write, in their order. */
  changes: ReadonlyArray<Change>
  /** Each row once, in its final state. */
  rows: Readonly<Record<Table, Written>>
  mails: WrittenMails
}>

export type Written = Readonly<{ inserted: ReadonlyArray<Row>; updated: ReadonlyArray<Row> }>

/** Checks changes one after the other, each as if the accepted changes before it were already stored. */
export const checkConflicts = (changes: ReadonlyArray<Change>, found: Found): Checked => {
  const eventIds = new Set(found.eventIds)
  const rows = new Map<string, Row>()
  const mails = stagedMails(found.mails)
  const holders = new Map([...found.emailKeys].map(([id, key]) => [key, id]))

  const outcomeOf = (change: Change): ChangeOutcome => {
    if (eventIds.has(change.id)) return 'already committed'
    const ids = new Set(change.events.map(({ id }) => id))
    if (ids.size < change.events.length || [...ids].some((id) => eventIds.has(id))) return 'duplicate event'
    if (change.compared.some(({ table, id, version }) => versionOf(table, id) !== version))
      return { _tag: 'Conflict' }
    if (!mails.areHeld(change)) return { _tag: 'Conflict' }
    const undo: Array<() => void> = []
    for (const written of change.rows) {
      const refusal = refusalOf(written)
      if (refusal !== undefined) {
        for (const back of undo.reverse()) back()
        return refusal
      }
      undo.push(stage(written))
    }
    mails.stage(change)
    for (const id of ids) eventIds.add(id)
    return 'written'
  }

  const versionOf = (table: Table, id: string): number =>
    rows.get(placeOf(table, id))?.row.version ?? found.versions[table].get(id) ?? 0

  const refusalOf = ({ table, row }: Row): Conflict | EmailTaken | undefined => {
    if (row.version !== versionOf(table, row.id) + 1) return { _tag: 'Conflict' }
    if (table !== 'users') return undefined
    const holder = holders.get(emailKey(row.email))
    return holder === undefined || holder === row.id ? undefined : { _tag: 'EmailTaken' }
  }

  /** Stages a row, and returns a function that undoes it. */
  const stage = (written: Row): (() => void) => {
    const place = placeOf(written.table, written.row.id)
    const before = rows.get(place)
    const forgetEmail = written.table === 'users' ? stageEmail(written.row, before) : () => {}
    rows.set(place, written)
    return () => {
      forgetEmail()
      if (before === undefined) rows.delete(place)
      else rows.set(place, before)
    }
  }

  const stageEmail = (
    { id, email }: { id: string; email: string },
    before: Row | undefined,
  ): (() => void) => {
    const old = before?.table === 'users' ? emailKey(before.row.email) : found.emailKeys.get(id)
    const key = emailKey(email)
    if (old !== undefined) holders.delete(old)
    holders.set(key, id)
    return () => {
      holders.delete(key)
      if (old !== undefined) holders.set(old, id)
    }
  }

  const outcomes = changes.map(outcomeOf)
  const writtenTo = (table: Table): Written => {
    const all = [...rows.values()].filter((row) => row.table === table)
    const isThere = ({ row }: Row) => found.versions[table].has(row.id)
    return { inserted: all.filter((row) => !isThere(row)), updated: all.filter(isThere) }
  }
  return {
    outcomes,
    changes: changes.filter((_, index) => outcomes[index] === 'written'),
    rows: perTable(writtenTo),
    mails: mails.written(),
  }
}

const placeOf = (table: Table, id: string): string => `${table}/${id}`
