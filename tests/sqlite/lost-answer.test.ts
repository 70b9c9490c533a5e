import { appendFileSync, copyFileSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Change } from '../../application/ports/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { aSession, aUser, change, issuedToken, registered, signedIn, signedOut } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, wholeLog } from '../testkit/outcome.ts'
import { storeWithFailures } from './failing-statements.ts'
import { onFile } from './folder.ts'

const CODES = ['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR']

const unavailable = (reason: string) => ({ _tag: 'StoreUnavailable', reason })
const unknown = (reason: string) => ({ ...unavailable(reason), outcome: 'unknown' })

describe('a COMMIT whose result is lost', () => {
  for (const code of CODES) {
    for (const [when, written] of [
      ['before', 0],
      ['after', 2],
    ] as const) {
      it(
        `${code} ${when} it was done: the outcome is unknown, and a retry writes the change once`,
        onFile(async (path) => {
          const { store, next } = storeWithFailures(path)
          const user = aUser()
          const once = change(registered(user), issuedToken())
          next({ sql: 'COMMIT', when, code })
          expect(await fail(store.commit(once))).to.deep.equal(unknown(code))
          expect(await wholeLog(store)).to.have.length(written)

          await commitAll(store, once, once)
          expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal(once.events.map(({ id }) => id))
          expect(await succeed(store.findUserByEmail(user.email))).to.deep.equal(some(user))
          await store.close()
        }),
      )
    }
  }

  for (const when of ['before', 'after'] as const) {
    it(
      `has an unknown outcome for all changes in the batch, also for refused ones (${when} it was done)`,
      onFile(async (path) => {
        const { store, next } = storeWithFailures(path)
        const known = change(issuedToken())
        await commitAll(store, known)
        const [first, last] = [change(issuedToken(), registered()), change(issuedToken())]
        const conflict = change(signedOut())
        const taken = change(registered(), registered(aUser({ email: 'ada@example.com' })))
        const holder = change(registered(aUser({ email: 'ada@example.com' })))
        const broken = change(registered(), signedIn(aSession({ expiresAtSeconds: 0.5 })))
        const code = 'SQLITE_IOERR_FSYNC'
        next({ sql: 'COMMIT', when, code })
        const outcomes = await commitAtOnce(store, [first, conflict, holder, taken, broken, known, last])
        // A refusal may depend on a neighbour that was never committed, so its outcome is unknown too.
        expect(outcomes.map((outcome) => outcome._tag === 'Left' && outcome.left)).to.deep.equal([
          unknown(code),
          unavailable(code),
          unknown(code),
          unavailable(code),
          unavailable(code),
          unknown(code),
          unknown(code),
        ])
        await commitAll(store, first, holder, last, known)
        expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal(
          [known, first, holder, last].flatMap(({ events }) => events.map(({ id }) => id)),
        )
        await store.close()
      }),
    )
  }

  it(
    'does not affect later batches',
    onFile(async (path) => {
      const { store, next } = storeWithFailures(path)
      const changes = Array.from({ length: 300 }, () => change(issuedToken()))
      next({ sql: 'COMMIT', when: 'before', code: 'SQLITE_IOERR_WRITE' })
      const outcomes = await commitAtOnce(store, changes)
      const lost = changes.filter((_, index) => outcomes[index]?._tag === 'Left')
      expect(lost).to.deep.equal(changes.slice(0, 256))
      expect((await wholeLog(store)).map(({ id }) => id)).to.deep.equal(
        changes.slice(256).map(({ id }) => id),
      )
      await commitAll(store, ...lost)
      expect(await wholeLog(store)).to.have.length(300)
      await store.close()
    }),
  )
})

describe('a COMMIT that fails after writing without synchronizing', () => {
  for (const code of CODES) {
    it(
      `${code}: the refused change is not in the file after a crash`,
      onFile(async (path) => {
        const { store, next } = storeWithFailures(path)
        const [kept, lost] = [change(registered()), change(registered(), issuedToken())]
        await commitAll(store, kept)
        layUnsynchronized(path, await writtenBy(lost, afterCrash(path, 'twin')))
        expect(await entriesIn(afterCrash(path, 'before')), 'it would be in the file').to.deep.equal(
          idsOf(kept, lost),
        )

        next({ sql: 'COMMIT', when: 'before', code })
        expect(await fail(store.commit(lost))).to.deep.equal(unknown(code))
        expect(await entriesIn(afterCrash(path, 'after'))).to.deep.equal(idsOf(kept))
        await commitAll(store, lost)
        expect(await entriesIn(afterCrash(path, 'again'))).to.deep.equal(idsOf(kept, lost))
        await store.close()
      }),
    )
  }
})

describe('a change that is certainly not written does not have an unknown outcome:', () => {
  for (const [what, failure] of [
    ['a COMMIT on a full disk', { sql: 'COMMIT', when: 'before', code: 'SQLITE_FULL' }],
    [
      'a transaction that cannot begin',
      { sql: 'BEGIN IMMEDIATE', when: 'before', code: 'SQLITE_IOERR_READ' },
    ],
    [
      'a transaction that fails after it has begun',
      { sql: 'BEGIN IMMEDIATE', when: 'after', code: 'SQLITE_IOERR_READ' },
    ],
    ['an entry on a full disk', { sql: 'INSERT INTO log', when: 'before', code: 'SQLITE_FULL' }],
    [
      'an entry that cannot be written',
      { sql: 'INSERT INTO log', when: 'before', code: 'SQLITE_IOERR_WRITE' },
    ],
  ] as const) {
    it(
      what,
      onFile(async (path) => {
        const { store, next } = storeWithFailures(path)
        const once = change(registered(), issuedToken())
        next(failure)
        expect(await fail(store.commit(once))).to.deep.equal(unavailable(failure.code))
        expect(await wholeLog(store)).to.deep.equal([])
        await commitAll(store, once)
        expect(await wholeLog(store)).to.have.length(2)
        await store.close()
      }),
    )
  }
})

const idsOf = (...changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.flatMap(({ events }) => events.map(({ id }) => id))

/** The files of a process that dies now, under another name. */
const afterCrash = (path: string, name: string): string => {
  const copy = join(dirname(path), `${name}.db`)
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end)
  return copy
}

/** The write-ahead log of a copy that contains the change. */
const writtenBy = async (made: Change, twin: string): Promise<Buffer> => {
  const store = sqliteStore(twin)
  await commitAll(store, made)
  const log = readFileSync(`${twin}-wal`)
  await store.close()
  return log
}

/** The part of the copy’s write-ahead log that the file itself lacks. */
const layUnsynchronized = (path: string, log: Buffer): void =>
  appendFileSync(`${path}-wal`, log.subarray(statSync(`${path}-wal`).size))

const entriesIn = async (path: string): Promise<ReadonlyArray<string>> => {
  const store = sqliteStore(path)
  const ids = (await wholeLog(store)).map(({ id }) => id)
  await store.close()
  return ids
}
