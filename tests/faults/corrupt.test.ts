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
import type { Cast, Session } from './oracle.ts'
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
 * Makes every process that has a database open read it anew: what another one writes voids what they remember. This one
 * has to have read beforehand what it needs to write.
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

/** What can befall the bytes of a store, and whether a server has to come upon it that has begun before. */
type Damage = Readonly<{ what: string; isMet: boolean; befall: (path: string) => void }>

const DAMAGES: ReadonlyArray<Damage> = [
  // The first page is in the write-ahead log as soon as anything was written.
  { what: 'rubbish in its header', isMet: false, befall: (path) => overwrite(path, 0, 100) },
  { what: 'rubbish in its schema', isMet: false, befall: (path) => overwrite(path, 100, PAGE_BYTES - 100) },
  {
    what: 'rubbish in its middle pages',
    isMet: true,
    befall: (path) => overwrite(path, PAGE_BYTES * 2, PAGE_BYTES * (pagesOf(path) - 3)),
  },
  {
    what: 'its second half cut off',
    isMet: false,
    befall: (path) => truncateSync(path, Math.floor(pagesOf(path) / 2) * PAGE_BYTES),
  },
  { what: 'nothing but a part of a page', isMet: true, befall: (path) => truncateSync(path, 1_000) },
]

/** What only matters as long as somebody has it open. */
const DAMAGES_WHILE_RUNNING: ReadonlyArray<Damage> = [
  {
    what: 'rubbish in its write-ahead log',
    isMet: true,
    befall: (path) =>
      overwrite(`${path}-wal`, WAL_HEADER_BYTES, statSync(`${path}-wal`).size - WAL_HEADER_BYTES),
  },
  { what: 'no write-ahead log any more', isMet: true, befall: (path) => truncateSync(`${path}-wal`, 0) },
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

  /** What a server that lived for a while, and was stopped in order, has left behind. */
  before(async () => {
    everybody = await cast(place, book, 2)
    const server = await place.serve('serve', ENVIRONMENT)
    const traffic = load(server.port, everybody, book, dice)
    await until('there is something to lose', () => book.acknowledged() > 100)
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

  for (const { what, befall } of DAMAGES) {
    it(`with ${what} is not started on, and that is said in one sentence`, async () => {
      befall(path)
      const damaged = readFileSync(path)
      const { status, out, err } = await place.portcullis('serve')
      expect({ status, out }, err).to.deep.equal({ status: 1, out: '' })
      expect(err).to.match(/^The database \S+ cannot be used: [^\n]*\n$/)
      expect(readFileSync(path).equals(damaged), 'left as it was').to.equal(true)
    })
  }

  for (const { what, isMet, befall } of [...DAMAGES, ...DAMAGES_WHILE_RUNNING]) {
    it(`with ${what} under a running server makes no wrong answer and no crash`, async () => {
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
            return replies
          }),
        )
      for (const [, token, right, wrong] of await round())
        expect([token?.status, right?.status, wrong?.status]).to.deep.equal([200, 200, 422])

      const forget = forgetting(path)
      befall(path)
      forget()
      for (let time = 1; time <= 5; time += 1) {
        for (const [health, token, right, wrong, ...profiles] of await round()) {
          expect(health?.status).to.equal(200)
          expect(token?.status).to.be.oneOf([200, 503])
          expect(right?.status).to.be.oneOf([200, 503])
          expect(wrong?.status).to.be.oneOf([422, 503])
          for (const profile of profiles) expect(profile.status).to.be.oneOf([200, 401, 503])
        }
      }
      if (isMet) expect(refused, 'answers that it cannot tell').to.be.greaterThan(0)
      // Whether a token that works is one, and one that does not is none, is judged where it is asked.
      expect(heard.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
      for (const { ask } of asks) ask.close()
      expect(await server.end()).to.equal(0)
    })
  }

  it('that is an empty file is a new one, on which nobody is registered', async () => {
    writeFileSync(path, '')
    const server = await place.serve('serve', ENVIRONMENT)
    await server.prints('The store has no accounts yet')
    expect(await server.end()).to.equal(0)
  })
})

describe('a write-ahead log that was cut off', () => {
  const CUTS = 5
  const place = processWorkplace()
  after(place.remove)

  it(`at ${CUTS} random bytes: all that was committed before the cut is there, and nothing by halves`, async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const book = ledger()
    const everybody = await cast(place, book, 1)
    const path = join(place.folder, 'data', 'portcullis.db')
    const wal = `${path}-wal`
    const [person] = everybody.people
    if (person === undefined) throw new Error('nobody is there')

    // One change after the other, and after each how long the log is and what the password is then.
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

/** A reader of this moment: what is committed after it stays in the write-ahead log, however long the test takes. */
const holdingCheckpoint = (path: string) => {
  const reader = new Database(path, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM log').get()
  return { end: () => reader.close() }
}
