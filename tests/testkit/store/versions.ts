import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { type Row, type Store, TABLES, type Table } from '../../../application/ports/store.ts'
import { aSession, aUser, change, newId, registered, signedIn, signedOut } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAcross, commitAll, ok, refused, tally, wholeLog } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'
import { newRow, updated, writing } from './tables.ts'

/** A row is written only over the version it was read at. */
export const versionCases = (check: Check): void => {
  refusedVersionCases('', (name, body) => check(name, (store) => body([store])))
  raceCases('', (name, body) => check(name, (store) => body([store])))

  check('a conflict is over as soon as the facts are fresh', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await commitAll(store, change(registered(user), signedIn(session)))
    await refused(store.commit(change(signedOut({ ...session, version: 5 }))), { _tag: 'Conflict' })
    await commitAll(store, change(signedOut(session)))
    const found = await ok(store.findSession(session.id))
    assert.ok(found._tag === 'Some')
    assert.deepEqual(found.value.session, { ...session, signedOut: true, version: 2 })
  })
}

/** The same, if one handle has written the version and another one writes over it. */
export const sharedVersionCases = (check: SharedCheck): void =>
  refusedVersionCases(' through another handle', (name, body) => check(name, (...handles) => body(handles)))

/** The same, if several handles write at once. */
export const sharedVersionRaceCases = (check: SharedCheck): void =>
  raceCases(' through several handles', (name, body) => check(name, (...handles) => body(handles)))

/** Registers a case with one or more handles on one store. */
type HandlesCheck = CaseOf<[handles: readonly [Store, ...ReadonlyArray<Store>]]>

/** Which versions of a row are written before, and which one is then refused. */
const REFUSED: Readonly<Record<string, Readonly<{ written: ReadonlyArray<number>; refused: number }>>> = {
  'what exists is not created again': { written: [1], refused: 1 },
  'what does not exist is not updated': { written: [], refused: 2 },
  'what was read before the last write is not written': { written: [1, 2], refused: 2 },
  'a version that was never reached is not written over': { written: [1], refused: 3 },
}

const refusedVersionCases = (through: string, check: HandlesCheck): void => {
  for (const [title, versions] of Object.entries(REFUSED))
    for (const table of TABLES)
      check(`${title}${through}: ${table}`, async (handles) => {
        const [writer] = handles
        const other = handles.at(-1) ?? writer
        const row = newRow(table, newId())
        const written = versions.written.map((version) => updated(row, version, version))
        await commitAll(writer, ...written.map((one) => writing(one)))
        await refused(other.commit(writing(updated(row, versions.refused, 9))), { _tag: 'Conflict' })
        for (const handle of handles) await holds(handle, table, written.slice(-1))
        assert.equal((await wholeLog(writer)).length, written.length)
      })
}

/** What many changes of one row do at once, the version of the row before, and the version that each of them writes. */
const RACES = [
  { of: 'creations of one id', before: [], version: 1 },
  { of: 'updates of one version', before: [1], version: 2 },
] as const

const raceCases = (through: string, check: HandlesCheck): void => {
  for (const { of, before, version } of RACES)
    for (const table of TABLES)
      check(`of ${of} at once${through} exactly one wins: ${table}`, async (handles) => {
        const row = newRow(table, newId())
        const rivals = Array.from({ length: RIVALS }, (_, number) => updated(row, version, number))
        await commitAll(handles[0], ...before.map((first) => writing(updated(row, first, RIVALS))))
        const outcomes = await commitAcross(
          handles,
          rivals.map((rival) => writing(rival)),
        )
        assert.deepEqual(tally(outcomes), { success: 1, Conflict: RIVALS - 1 })
        const winners = rivals.filter((_, index) => outcomes[index] !== undefined && isRight(outcomes[index]))
        for (const handle of handles) await holds(handle, table, winners)
        assert.equal((await wholeLog(handles[0])).length, before.length + 1)
      })
}

const RIVALS = 24

const holds = async (store: Store, table: Table, rows: ReadonlyArray<Row>): Promise<void> =>
  assert.deepEqual(
    await ok(store.listRows({ table, after: '', limit: 9 })),
    rows.map(({ row }) => row),
  )
