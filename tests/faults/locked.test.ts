import { join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { type Ledger, ledger } from './ledger.ts'
import { load } from './load.ts'
import { lockStore } from './lock.ts'
import type { Cast } from './oracle.ts'
import { type Asking, asking, type Reply } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, verify } from './stage.ts'
import { until } from './until.ts'

describe('a store that another process has locked for writing', () => {
  const place = processWorkplace()
  const path = join(place.folder, 'data', 'portcullis.db')
  const book: Ledger = ledger()
  let everybody: Cast
  let server: Serving
  let ask: Asking
  let askBeside: Asking
  before(async () => {
    everybody = await cast(place, book, 2)
    server = await place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent' })
    ask = asking(server.port, everybody, book)
    askBeside = asking(server.port, everybody, book)
    await ask.applicationToken()
  })
  afterEach(async () => {
    await verify(place, server.port, everybody, book)
    expect(book.problems).to.deep.equal([])
    await agree(place)
  })
  after(async () => {
    ask.close()
    askBeside.close()
    expect(await server.end()).to.equal(0)
    place.remove()
  })

  const signedInUser = async () => {
    const [person] = everybody.people
    if (person === undefined) throw new Error('there is no user')
    if (person.sessions.length === 0)
      await ask.signIn(person, person.password, everybody.applicationTokens[0])
    const [session] = person.sessions
    if (session === undefined) throw new Error('the sign-in failed')
    return { person, session }
  }

  it('for long still serves reads, refuses changes after a while, and accepts them after the release', async () => {
    const { person, session } = await signedInUser()
    const lock = await lockStore(path)
    let refused: Reply | undefined
    const changing = ask.applicationToken().then((reply) => {
      refused = reply
    })
    let reads = 0
    while (refused === undefined) {
      expect((await askBeside.profile(person, session)).status).to.equal(200)
      reads += 1
    }
    await changing
    expect(reads, 'reads while a change waits').to.be.greaterThan(10)
    expect(refused.status).to.equal(503)
    await lock.release()
    expect((await ask.applicationToken()).status).to.equal(200)
  })

  it('repeatedly under load loses nothing and executes no refused change', async () => {
    const seed = seedOfThisRun()
    const traffic = load(server.port, everybody, book, chance(seed), 'changes')
    await traffic.flowing
    const changes = (status: number, since: number) =>
      traffic.replies.slice(since).filter((reply) => reply.isChange && reply.status === status).length
    for (let time = 1; time <= 2; time += 1) {
      const lock = await lockStore(path)
      const since = traffic.replies.length
      await until('changes are refused', () => changes(503, since) > 0)
      await lock.release()
      const free = traffic.replies.length
      await until('changes succeed', () => changes(200, free) > 40)
    }
    await traffic.stop()
    expect(book.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
  })
})
