import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import type { EventQuery, LogEntry } from '../../../application/ports/store.ts'
import { aUser, change, createdKey, issuedToken, registered, registeredApplication } from '../builders.ts'
import { commitAll, commitAtOnce, ok, tally, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** Positions count 1, 2, 3 … and a reader that goes by them misses nothing. */
export const positionCases = (check: Check): void => {
  check('positions count 1, 2, 3 … over many commits', async (store) => {
    const changes = Array.from({ length: 30 }, () => change(issuedToken()))
    await commitAll(store, ...changes)
    assert.deepEqual(places(await wholeLog(store)), placesOf(changes.map(({ id }) => id)))
  })

  check('the events of one change stand at consecutive positions in their order', async (store) => {
    const before = change(issuedToken())
    const several = change(registeredApplication(), registered(), createdKey(), issuedToken())
    const after = change(issuedToken())
    await commitAll(store, before, several, after)
    assert.deepEqual(
      places(await wholeLog(store)),
      placesOf([before.id, ...several.events.map(({ id }) => id), after.id]),
    )
  })

  check('200 commits at once, half of them refused, leave no gap', async (store) => {
    const emails = Array.from({ length: 200 }, (_, number) => `user-${number >> 1}@example.com`)
    const changes = emails.map((email) => change(registered(aUser({ email })), issuedToken()))
    const outcomes = await commitAtOnce(store, changes)
    assert.deepEqual(tally(outcomes), { success: 100, EmailTaken: 100 })

    const log = await wholeLog(store)
    assert.deepEqual(
      log.map(({ position }) => position),
      Array.from({ length: 200 }, (_, index) => index + 1),
    )
    const positionOf = new Map(log.map(({ id, position }) => [id, position]))
    for (const [index, { events }] of changes.entries()) {
      const [first, second] = events.map(({ id }) => positionOf.get(id))
      if (outcomes[index] !== undefined && isRight(outcomes[index])) assert.equal(second, Number(first) + 1)
      else assert.deepEqual([first, second], [undefined, undefined])
    }
  })

  check('entries are read from the one after a position on, ascending', async (store) => {
    const changes = Array.from({ length: 5 }, () => change(issuedToken()))
    await commitAll(store, ...changes)
    assert.deepEqual(
      places(await ok(store.readEvents({ after: 2, limit: 100 }))),
      placesOf(changes.map(({ id }) => id)).slice(2),
    )
  })

  check('there is nothing after the last position', async (store) => {
    await commitAll(store, change(issuedToken(), issuedToken()))
    assert.deepEqual(await ok(store.readEvents({ after: 2, limit: 100 })), [])
    assert.deepEqual(await ok(store.readEvents({ after: 1_000_000, limit: 100 })), [])
  })

  check('no more entries are read than asked for', async (store) => {
    const changes = Array.from({ length: 5 }, () => change(issuedToken()))
    await commitAll(store, ...changes)
    assert.deepEqual(
      places(await ok(store.readEvents({ after: 0, limit: 3 }))),
      placesOf(changes.map(({ id }) => id)).slice(0, 3),
    )
  })

  check('entries are read of one type when one is named', async (store) => {
    await commitAll(store, change(issuedToken(), registered(), issuedToken(), registered()))
    const found = await ok(store.readEvents({ after: 0, limit: 100, type: 'UserRegistered' }))
    assert.deepEqual(
      found.map(({ position, type }) => [position, type]),
      [
        [2, 'UserRegistered'],
        [4, 'UserRegistered'],
      ],
    )
  })

  check('limit counts the entries of the type, after the position', async (store) => {
    await commitAll(
      store,
      change(registered(), issuedToken(), issuedToken(), registered(), registered(), registered()),
    )
    const found = await ok(store.readEvents({ after: 1, limit: 2, type: 'UserRegistered' }))
    assert.deepEqual(
      found.map(({ position }) => position),
      [4, 5],
    )
  })

  check('no entry after the end of a range is read', async (store) => {
    await commitAll(store, ...Array.from({ length: 6 }, () => change(issuedToken(), registered())))
    const within = async (query: Omit<EventQuery, 'limit'>, limit = 100) =>
      (await ok(store.readEvents({ limit, ...query }))).map(({ position }) => position)
    assert.deepEqual(await within({ after: 0, through: 3 }), [1, 2, 3])
    assert.deepEqual(await within({ after: 4, through: 7 }), [5, 6, 7])
    assert.deepEqual(await within({ after: 4, through: 7 }, 2), [5, 6])
    assert.deepEqual(await within({ after: 10, through: 1_000_000 }), [11, 12])
    assert.deepEqual(await within({ after: 12, through: 20 }), [])
    assert.deepEqual(await within({ after: 10, through: Number.MAX_SAFE_INTEGER }), [11, 12])
  })

  check('a range that ends where it begins is empty, and so is one that ends before', async (store) => {
    await commitAll(store, ...Array.from({ length: 6 }, () => change(issuedToken())))
    for (const through of [4, 3, 0])
      assert.deepEqual(await ok(store.readEvents({ after: 4, through, limit: 100 })), [])
  })

  check('entries of one type are read from a range, up to its last position', async (store) => {
    await commitAll(store, ...Array.from({ length: 6 }, () => change(issuedToken(), registered())))
    const found = await ok(store.readEvents({ after: 2, through: 8, limit: 100, type: 'UserRegistered' }))
    assert.deepEqual(
      found.map(({ position }) => position),
      [4, 6, 8],
    )
  })

  check('page after page visits every entry once', async (store) => {
    const changes = Array.from({ length: 11 }, () => change(issuedToken(), registered()))
    await commitAll(store, ...changes)
    const visited: Array<LogEntry> = []
    for (;;) {
      const page = await ok(store.readEvents({ after: visited.at(-1)?.position ?? 0, limit: 4 }))
      visited.push(...page)
      if (page.length === 0 || visited.length > 22) break
    }
    assert.deepEqual(visited, await wholeLog(store))
    assert.equal(visited.length, 22)
  })
}

const places = (entries: ReadonlyArray<LogEntry>) => entries.map(({ position, id }) => ({ position, id }))

const placesOf = (ids: ReadonlyArray<string>) => ids.map((id, index) => ({ position: index + 1, id }))
