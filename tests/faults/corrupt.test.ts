import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { type Cast, canSignIn, type Session } from './oracle.ts'
import { asking } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, entriesAfter } from './stage.ts'
import { until } from './until.ts'

const PAGE_BYTES = 4_096

const rubbish = (bytes: number) => Buffer.alloc(bytes, 'rubbish ')

const overwrite = (path: string, from: number, bytes: number): void => {
  const file = openSync(path, 'r+')
  writeSync(file, rubbish(bytes), 0, bytes, from)
  closeSync(file)
}

const pagesOf = (path: string): number => Math.floor(statSync(path).size / PAGE_BYTES)

/**
 * Makes every process that has a database open read it again: a write by another process invalidates their caches. This
 * process must read beforehand what it needs for the write.
 */
const forgetting = (path: string): (() => void) => {
  const db = new Database(path)
  const version = db.pragma('user_version', { simple: true })
  db.prepare('SELECT count(*) FROM log').get()
  return () => {
    db.pragma(`user_version = ${version}`)
    db.close()
  }
}

/** Damages to the bytes of a store, and whether a running server must notice them. */
type Damage = Readonly<{ what: string; isNoticed: boolean; damage: (path: string) => void }>

const DAMAGES: ReadonlyArray<Damage> = [
  // The first page is in the write-ahead log after the first write.
  { what: 'garbage in its header', isNoticed: false, damage: (path) => overwrite(path, 0, 100) },
  {
    what: 'garbage in its schema',
    isNoticed: false,
    damage: (path) => overwrite(path, 100, PAGE_BYTES - 100),
  },
  {
    what: 'garbage in its middle pages',
    isNoticed: true,
    damage: (path) => overwrite(path, PAGE_BYTES * 2, PAGE_BYTES * (pagesOf(path) - 3)),
  },
  {
    what: 'only its first half',
    isNoticed: false,
    damage: (path) => truncateSync(path, Math.floor(pagesOf(path) / 2) * PAGE_BYTES),
  },
  { what: 'only a part of a page', isNoticed: true, damage: (path) => truncateSync(path, 1_000) },
]

/** Damages that matter only while a process has the store open. */
const DAMAGES_WHILE_RUNNING: ReadonlyArray<Damage> = [
  {
    what: 'garbage in its write-ahead log',
    isNoticed: true,
    damage: (path) =>
      overwrite(`${path}-wal`, WAL_HEADER_BYTES, statSync(`${path}-wal`).size - WAL_HEADER_BYTES),
  },
  { what: 'an emptied write-ahead log', isNoticed: true, damage: (path) => truncateSync(`${path}-wal`, 0) },
]

const WAL_HEADER_BYTES = 32

describe('a damaged store', () => {
  const place = processWorkplace()
  const path = join(place.folder, 'data', 'portcullis.db')
  const kept = join(place.folder, 'kept.db')
  const seed = seedOfThisRun()
  const dice = chance(seed)
  const book = ledger()
  let everybody: Cast
  let sessions: ReadonlyArray<ReadonlyArray<Session>>

  /** A store that a server used for a while and closed cleanly. */
  before(async () => {
    everybody = await cast(place, book, 2)
    const server = await place.serve('serve', ENVIRONMENT)
    const traffic = load(server.port, everybody, book, dice)
    await until('some acknowledged changes', () => book.acknowledged() > 100)
    await traffic.stop()
    await server.end()
    copyFileSync(path, kept)
    sessions = everybody.people.map((person) => [...person.sessions])
  })
  beforeEach(() => {
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
    copyFileSync(kept, path)
    for (const [index, person] of everybody.people.entries()) person.sessions = [...(sessions[index] ?? [])]
  })
  after(place.remove)

  for (const { what, damage } of DAMAGES) {
    it(`is refused at start with one sentence: ${what}`, async () => {
      damage(path)
      const damaged = readFileSync(path)
      const { status, out, err } = await place.portcullis('serve')
      expect({ status, out }, err).to.deep.equal({ status: 1, out: '' })
      expect(err).to.match(/^The database \S+ cannot be used: [^\n]*\n$/)
      expect(readFileSync(path).equals(damaged), 'unchanged').to.equal(true)
    })
  }

  for (const { what, isNoticed, damage } of [...DAMAGES, ...DAMAGES_WHILE_RUNNING]) {
    it(`causes no wrong response and no crash under a running server: ${what}`, async () => {
      const server = await place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent' })
      const heard = ledger()
      let refused = 0
      const asks = everybody.people.map((person) => ({
        person,
        ask: asking(server.port, everybody, heard, ({ status }) => {
          if (status === 503) refused += 1
        }),
      }))
      const round = () =>
        Promise.all(
          asks.map(async ({ person, ask }) => {
            const [application] = everybody.applicationTokens
            const replies = [
              await ask.health(),
              await ask.applicationToken(),
              await ask.signIn(person, person.password, application),
              await ask.signIn(person, 'wrong', application),
            ]
            for (const session of person.sessions.slice(-3)) replies.push(await ask.profile(person, session))
            return { replies, signedIn: canSignIn(person) ? 200 : 422 } // the traffic may have disabled the user
          }),
        )
      for (const { replies, signedIn } of await round())
        expect(replies.slice(1, 4).map(({ status }) => status)).to.deep.equal([200, signedIn, 422])

      const forget = forgetting(path)
      damage(path)
      forget()
      for (let time = 1; time <= 5; time += 1) {
        for (const { replies, signedIn } of await round()) {
          const [health, token, right, wrong, ...profiles] = replies
          expect(health?.status).to.equal(200)
          expect(token?.status).to.be.oneOf([200, 503])
          expect(right?.status).to.be.oneOf([signedIn, 503])
          expect(wrong?.status).to.be.oneOf([422, 503])
          for (const profile of profiles) expect(profile.status).to.be.oneOf([200, 401, 503])
        }
      }
      if (isNoticed) expect(refused, 'responses that report the damage').to.be.greaterThan(0)
      // The requests themselves check whether tokens that work are valid, and the others are not.
      expect(heard.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
      for (const { ask } of asks) ask.close()
      expect(await server.end()).to.equal(0)
    })
  }

  it('is initialized without users if the file is empty', async () => {
    writeFileSync(path, '')
    const server = await place.serve('serve', ENVIRONMENT)
    await server.prints('The store has no accounts yet')
    expect(await server.end()).to.equal(0)
  })
})

describe('a truncated write-ahead log', () => {
  const CUTS = 5
  const place = processWorkplace()
  after(place.remove)

  it(`at ${CUTS} random bytes keeps all commits before the cut, each complete or absent`, async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const book = ledger()
    const everybody = await cast(place, book, 1)
    const path = join(place.folder, 'data', 'portcullis.db')
    const wal = `${path}-wal`
    const [person] = everybody.people
    if (person === undefined) throw new Error('there is no user')

    // One change after the other. After each, records the length of the log and the password.
    const server = await place.serve('serve', ENVIRONMENT)
    const holdCheckpoint = holdingCheckpoint(path)
    const ask = asking(server.port, everybody, book)
    const begin = book.position()
    const states: Array<Readonly<{ bytes: number; password: string }>> = []
    const note = () => states.push({ bytes: statSync(wal).size, password: person.password })
    await ask.applicationToken()
    const keysAndToken = (await entriesAfter(place, begin)).length
    note()
    for (let change = 1; change <= 20; change += 1) {
      const session = person.sessions.at(-1)
      if (session === undefined || dice.below(2) === 0)
        await ask.signIn(person, person.password, everybody.applicationTokens[0])
      else await ask.changePassword(person, session, person.password, `password ${change}`)
      note()
    }
    ask.close()
    await server.end('SIGKILL')
    expect(book.acknowledged()).to.equal(21)
    const [first, last] = [states[0], states.at(-1)]
    if (first === undefined || last === undefined) throw new Error('nothing was committed')
    const kept = new Map([path, wal].map((file) => [file, readFileSync(file)]))
    holdCheckpoint.end()

    for (let time = 1; time <= CUTS; time += 1) {
      const cut = first.bytes + dice.below(last.bytes - first.bytes)
      const where = `cut at ${cut} of ${last.bytes} bytes, FAULT_SEED=${seed}`
      rmSync(`${path}-shm`, { force: true })
      for (const [file, bytes] of kept) writeFileSync(file, bytes)
      truncateSync(wal, cut)
      const whole = states.findLastIndex(({ bytes }) => bytes <= cut)

      const entries = await entriesAfter(place, begin)
      expect(
        entries.map(({ position }) => position),
        where,
      ).to.deep.equal(Array.from({ length: keysAndToken + whole }, (_, index) => begin + 1 + index))
      const again = await place.serve('serve', ENVIRONMENT)
      const askAgain = asking(again.port, everybody, ledger())
      const password = states[whole]?.password ?? ''
      const status = (await askAgain.signIn(person, password, everybody.applicationTokens[0])).status
      expect(status, where).to.equal(200)
      askAgain.close()
      await again.end('SIGKILL')
    }
    await agree(place)
  })
})

/** A reader with a snapshot of this moment: later commits stay in the write-ahead log during the test. */
const holdingCheckpoint = (path: string) => {
  const reader = new Database(path, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM log').get()
  return { end: () => reader.close() }
}
