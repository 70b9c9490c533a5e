import { renameSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { ledger } from './ledger.ts'
import { lockStore } from './lock.ts'
import type { Cast, Person, Session } from './oracle.ts'
import { type Asking, asking, type Reply } from './requests.ts'
import { agree, cast, ENVIRONMENT, readOn } from './stage.ts'
import { until } from './until.ts'

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR

const EXTENSION = extname(new URL(import.meta.url).pathname)
const SHIFTED = new URL(`./shifted-clock${EXTENSION}`, import.meta.url).href

describe('a server whose clock jumps', () => {
  const place = processWorkplace(([node = '', ...rest]) => [
    node,
    ...(isShifted ? ['--import', SHIFTED] : []),
    ...rest,
  ])
  let isShifted = false
  const clock = join(place.folder, 'clock')
  const jump = (milliseconds: number): void => {
    writeFileSync(`${clock}.new`, String(milliseconds))
    renameSync(`${clock}.new`, clock) // atomic: a reader sees the old file or the new one
  }

  const book = ledger()
  let everybody: Cast
  let person: Person
  let server: Serving
  let ask: Asking
  before(async () => {
    everybody = await cast(place, book, 1)
    const [only] = everybody.people
    if (only === undefined) throw new Error('there is no user')
    person = only
    jump(0)
    isShifted = true
    server = await place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent', SHIFTED_CLOCK: clock })
    isShifted = false
    ask = asking(server.port, everybody, book)
  })
  beforeEach(() => jump(0))
  afterEach(async () => {
    await readOn(place, book)
    expect(book.problems).to.deep.equal([])
    await agree(place)
  })
  after(async () => {
    ask.close()
    expect(await server.end()).to.equal(0)
    place.remove()
  })

  const applicationToken = async (): Promise<string> => {
    expect((await ask.applicationToken()).status).to.equal(200)
    return everybody.applicationTokens.at(-1) ?? ''
  }
  const newSession = async (token: string): Promise<Session> => {
    expect((await ask.signIn(person, person.password, token)).status).to.equal(200)
    const session = person.sessions.at(-1)
    if (session === undefined) throw new Error('the sign-in failed')
    return session
  }
  /** The status of the response to a token. The book’s expectation ignores the time. */
  const use = async (token: Session | string): Promise<number | undefined> => {
    if (typeof token === 'string')
      return (await ask.signIn(person, 'wrong', token)).status === 422 ? 200 : 401
    const problems = book.problems.length
    const { status } = await ask.profile(person, token)
    if (status === 401) book.problems.length = problems
    return status
  }

  it('refuses old tokens after a jump of a year ahead, and future tokens after the jump back', async () => {
    const [token, session] = [await applicationToken(), await newSession(await applicationToken())]
    jump(YEAR)
    expect([await use(token), await use(session)], 'from now, then').to.deep.equal([401, 401])
    const tokenThen = await applicationToken()
    const sessionThen = await newSession(tokenThen)
    expect([await use(tokenThen), await use(sessionThen)], 'from then, then').to.deep.equal([200, 200])
    jump(0)
    expect([await use(token), await use(session)], 'from now, now').to.deep.equal([200, 200])
    expect([await use(tokenThen), await use(sessionThen)], 'from then, now').to.deep.equal([401, 401])
    jump(YEAR)
    expect([await use(tokenThen), await use(sessionThen)], 'from then, then again').to.deep.equal([200, 200])
  })

  it('refuses future tokens after a jump of an hour back, until it catches up', async () => {
    const [token, session] = [await applicationToken(), await newSession(await applicationToken())]
    jump(-HOUR)
    expect([await use(token), await use(session)], 'from now, then').to.deep.equal([401, 401])
    const sessionThen = await newSession(await applicationToken())
    expect(await use(sessionThen), 'from then, then').to.equal(200)
    jump(0)
    expect([await use(token), await use(session)], 'from now, now').to.deep.equal([200, 200])
    expect(await use(sessionThen), 'from then, now').to.equal(200)
  })

  it('keeps working after jumps in both directions under load, and its log has no gap and no duplicate id', async () => {
    const statuses = new Set<number | undefined>()
    const lines = Array.from({ length: 8 }, () => asking(server.port, everybody, book))
    const tokens = async (line: Asking): Promise<void> => {
      for (let time = 1; time <= 25; time += 1) statuses.add((await line.applicationToken()).status)
    }
    const sent = Promise.all(lines.map(tokens))
    const jumps = [YEAR, 0, -HOUR, 0, YEAR, -HOUR, 0]
    const begin = book.acknowledged()
    for (const [index, to] of jumps.entries()) {
      await until('there is traffic', () => book.acknowledged() - begin > (index + 1) * 20)
      jump(to)
    }
    await sent
    for (const { close } of lines) close()
    expect([...statuses]).to.deep.equal([200])
  })

  for (const [where, to] of [
    ['ahead', YEAR],
    ['back', -HOUR],
  ] as const) {
    it(`${where} answers a change that waits for a locked store, without waiting an hour`, async () => {
      const lock = await lockStore(join(place.folder, 'data', 'portcullis.db'))
      const line = asking(server.port, everybody, book)
      let reply: Reply | undefined
      const changing = line.applicationToken().then((heard) => {
        reply = heard
      })
      try {
        for (let read = 1; read <= 20; read += 1) expect((await ask.health()).status).to.equal(200)
        jump(to)
        await until('a response', () => reply !== undefined)
        expect(reply?.status).to.equal(503)
      } finally {
        await lock.release()
        jump(0)
        await changing
        line.close()
      }
    })
  }
})
