import assert from 'node:assert/strict'
import type { LogLines } from '../../application/ports/log-lines.ts'
import type { LogEntry, NewEntry, Store } from '../../application/ports/store.ts'
import { anApplication, change, issuedToken, registered, registeredApplication } from './builders.ts'
import { casesOnStore } from './frames.ts'
import { commitAll, ok, unavailable, wholeLog } from './outcome.ts'
import type { Runner } from './runner.ts'
import { everyEvent } from './store/every-event.ts'

/** Opens a new, empty store that implements `LogLines` too. The suite calls `close` after it has closed the store. */
export type OpenLogLines = () => Promise<Readonly<{ store: Store & LogLines; close?: () => Promise<void> }>>

/** The contract suite of `LogLines`. Every store that passes it returns the same lines for the same entries. */
export const logLinesContract = (runner: Runner, open: OpenLogLines): void => {
  const check = casesOnStore(runner, open)

  check('an empty log has no lines', async (store) => {
    assert.deepEqual(await ok(store.readLines({ after: 0, limit: 10 })), [])
  })

  for (const { fact, event, before } of everyEvent())
    check(`the line of ${event.type} is the JSON of its entry`, async (store) => {
      await commitAll(store, ...[...before, fact].map((one) => change(one)))
      await areLines(store)
    })

  check('a line keeps every character of a text', async (store) => {
    for (const name of ['Zoë’s “shop”', 'a"b\\c', '</script>', '\u2028\u2029', '😀', '\u0001\u001f\u007f'])
      await commitAll(store, change(registeredApplication(anApplication({ name }))))
    await areLines(store)
  })

  check('an entry of an unknown type, which a later version wrote, has its line too', async (store) => {
    const later = {
      ...change(registered()).events[0],
      type: 'InventedLater',
      version: 9,
      data: { a: [1, null] },
    }
    const entry = later as unknown as NewEntry // a store does not interpret events
    await commitAll(store, { id: entry.id, events: [entry], compared: [], rows: [] })
    const lines = await ok(store.readLines({ after: 0, limit: 10 }))
    assert.deepEqual(
      lines.map(({ bytes }) => new TextDecoder().decode(bytes)),
      [lineOf({ ...entry, position: 1 })],
    )
    assert.deepEqual(await ok(store.readLines({ after: 0, limit: 10, withEntries: true })), lines)
  })

  check('lines are read in pages, ascending', async (store) => {
    await commitAll(store, change(registered(), issuedToken()), change(issuedToken()), change(registered()))
    const all = await ok(store.readLines({ after: 0, limit: 10 }))
    assert.deepEqual(
      all.map(({ position }) => position),
      [1, 2, 3, 4],
    )
    assert.deepEqual(await ok(store.readLines({ after: 1, limit: 2 })), all.slice(1, 3))
    assert.deepEqual(await ok(store.readLines({ after: 3, limit: 2 })), all.slice(3))
    assert.deepEqual(await ok(store.readLines({ after: 4, limit: 2 })), [])
    assert.deepEqual(await ok(store.readLines({ after: 0, limit: 0 })), [])
  })

  check('lines bring their entries if they are asked for, or none', async (store) => {
    await commitAll(store, change(registered(), issuedToken()), change(issuedToken()))
    const lines = await ok(store.readLines({ after: 0, limit: 2 }))
    const entries = await ok(store.readEvents({ after: 0, limit: 2 }))
    const asked = await ok(store.readLines({ after: 0, limit: 2, withEntries: true }))
    const whole = lines.map((line, index) => ({ ...line, entry: entries[index] }))
    assert.deepEqual(asked, asked[0]?.entry === undefined ? lines : whole)
  })

  check('a changed answer changes no later one', async (store) => {
    await commitAll(store, change(registered()))
    const [line] = await ok(store.readLines({ after: 0, limit: 1 }))
    line?.bytes.fill(0)
    await areLines(store)
  })

  check('a closed store has no lines', async (store) => {
    await commitAll(store, change(registered()))
    await store.close()
    await unavailable(store.readLines({ after: 0, limit: 1 }))
  })
}

const areLines = async (store: Store & LogLines): Promise<void> => {
  const lines = await ok(store.readLines({ after: 0, limit: 1_000 }))
  assert.deepEqual(
    lines.map(({ bytes }) => new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
    (await wholeLog(store)).map(lineOf),
  )
}

const lineOf = ({ position, id, type, version, at, subject, actor, request_id, data }: LogEntry): string =>
  JSON.stringify({
    position,
    id,
    type,
    version,
    at,
    subject: { kind: subject.kind, id: subject.id },
    actor:
      'id' in actor && actor.id !== undefined ? { kind: actor.kind, id: actor.id } : { kind: actor.kind },
    request_id,
    data,
  })
