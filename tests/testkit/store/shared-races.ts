import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import type { LogEntry, Store } from '../../../application/ports/store.ts'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAcross, ok, tally, wholeLog } from '../outcome.ts'
import type { SharedCheck } from '../store.ts'
import { knowEachOther, renewalsAndCommits } from './epoch.ts'

/** What several handles do at once comes out as if they had done it one after the other. */
export const sharedRaceCases = (check: SharedCheck): void => {
  check('commits through several handles at once leave no gap, and none is lost', async (...handles) => {
    const changes = Array.from({ length: 120 }, (_, number) =>
      change(registered(aUser({ email: `user-${number >> 1}@example.com` })), issuedToken()),
    )
    const outcomes = await commitAcross(handles, changes)
    assert.deepEqual(tally(outcomes), { success: 60, EmailTaken: 60 })
    const logs = await Promise.all(handles.map(wholeLog))
    for (const log of logs) {
      assert.deepEqual(
        log.map(({ position }) => position),
        Array.from({ length: 120 }, (_, index) => index + 1),
      )
      assert.deepEqual(log, logs[0])
    }
    const positionOf = new Map(logs[0]?.map(({ id, position }) => [id, position]))
    for (const [index, { events }] of changes.entries()) {
      const [first, second] = events.map(({ id }) => positionOf.get(id))
      if (outcomes[index] !== undefined && isRight(outcomes[index])) assert.equal(second, Number(first) + 1)
      else assert.deepEqual([first, second], [undefined, undefined])
    }
  })

  check('of registrations of one e-mail through several handles at once one wins', async (...handles) => {
    const users = Array.from({ length: 12 }, (_, number) =>
      aUser({ email: number % 2 === 0 ? 'ada@example.com' : 'ADA@example.com' }),
    )
    const outcomes = await commitAcross(
      handles,
      users.map((user) => change(registered(user))),
    )
    assert.deepEqual(tally(outcomes), { success: 1, EmailTaken: 11 })
    const winner = users[outcomes.findIndex(isRight)]
    for (const handle of handles)
      assert.deepEqual(await ok(handle.findUserByEmail('ada@example.com')), some(winner))
  })

  check('one change committed through several handles at once is written once', async (...handles) => {
    const made = Array.from({ length: 5 }, () => change(registered(aUser()), issuedToken()))
    const changes = made.flatMap((once) => handles.map(() => once))
    assert.deepEqual(tally(await commitAcross(handles, changes)), { success: changes.length })
    assert.deepEqual(
      (await wholeLog(handles[0])).map(({ id }) => id).sort(),
      made.flatMap(({ events }) => events.map(({ id }) => id)).sort(),
    )
  })

  check(
    'a reader that continues from the last position skips nothing while others write',
    async (...handles) => {
      const [one, other, reader] = handles
      let writing = true
      const written = Promise.all([one, other].map(writeSome)).finally(() => {
        writing = false
      })
      written.catch(() => {}) // what became of it is looked at below
      const seen: Array<LogEntry> = []
      for (;;) {
        const isOver = !writing
        const page = await ok(reader.readEvents({ after: seen.length, limit: 7 }))
        for (const entry of page) {
          seen.push(entry)
          assert.equal(entry.position, seen.length, 'the position that comes next')
        }
        if (isOver && page.length === 0) break
        await new Promise(setImmediate) // a store that answers at once would never let the others write
      }
      await written
      assert.deepEqual(seen, await wholeLog(reader))
      assert.equal(seen.length, 2 * CHANGES_OF_ONE * 2)
    },
  )

  check('renewals and commits through several handles at once leave no gap', async (...handles) => {
    const first = await ok(handles[0].readEpoch())
    await renewalsAndCommits(handles)
    for (const handle of handles) await knowEachOther(handle, first)
  })
}

const CHANGES_OF_ONE = 30
const AT_ONCE = 5

/** Changes of two events each, a few of them at once. */
const writeSome = async (store: Store): Promise<void> => {
  for (let written = 0; written < CHANGES_OF_ONE; written += AT_ONCE) {
    const changes = Array.from({ length: AT_ONCE }, () => change(issuedToken(), registered()))
    await Promise.all(changes.map((made) => ok(store.commit(made))))
  }
}
