import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { ledger } from './ledger.ts'
import { needsStrace } from './machine.ts'
import { asking, type Reply } from './requests.ts'
import { agree, cast, ENVIRONMENT, verify } from './stage.ts'
import { notDurable, straceTo } from './trace.ts'

const AT_ONCE = 64

describe('an acknowledged change', () => {
  let isTraced = false
  const place = processWorkplace((commandLine, folder) =>
    isTraced ? [...straceTo(join(folder, 'trace')), ...commandLine] : commandLine,
  )
  after(place.remove)

  it(`was synchronized before the response, alone and with ${AT_ONCE} at once`, async function () {
    needsStrace(this)
    const book = ledger()
    const everybody = await cast(place, book, 1)
    const [person] = everybody.people
    if (person === undefined) throw new Error('there is no user')
    isTraced = true
    const server = await place.serve('serve', ENVIRONMENT)
    isTraced = false

    const acknowledged: Array<string> = []
    const note = ({ isChange, status, requestId }: Reply): void => {
      if (isChange && status === 200) acknowledged.push(requestId)
    }
    const ask = () => asking(server.port, everybody, book, note)
    const one = ask()
    const newToken = async () => {
      await one.signIn(person, person.password, everybody.applicationTokens[0])
      const session = person.sessions.at(-1)
      if (session === undefined) throw new Error('the sign-in failed')
      return session
    }
    await one.applicationToken()
    await one.changePassword(person, await newToken(), person.password, 'second')
    await one.changePassword(person, await newToken(), person.password, 'third')
    await one.signOut(person, await newToken())
    expect(acknowledged).to.have.length(7)

    const crowd = Array.from({ length: AT_ONCE }, ask)
    await Promise.all(crowd.map(({ health }) => health()))
    await Promise.all(
      crowd.map((each, index) =>
        index % 2 === 0
          ? each.applicationToken()
          : each.signIn(person, person.password, everybody.applicationTokens[0]),
      ),
    )
    expect(acknowledged).to.have.length(7 + AT_ONCE)
    for (const { close } of [one, ...crowd]) close()
    await verify(place, server.port, everybody, book)
    expect(await server.end()).to.equal(0)

    expect(notDurable(readFileSync(join(place.folder, 'trace'), 'latin1'), acknowledged)).to.deep.equal([])
    expect(book.problems).to.deep.equal([])
    await agree(place)
  })
})

describe('a trace of system calls', () => {
  const READ = String.raw`7 read(20<socket:[5]>, "POST / HTTP/1.1\r\nX-Request-Id: a-1\r\n\r\n{}", 65536) = 42`
  const READ_BEGINS = '7 read(20<socket:[5]>,  <unfinished ...>'
  const READ_ENDS = String.raw`7 <... read resumed>"POST / HTTP/1.1\r\nX-Request-Id: a-1\r\n\r\n{}", 65536) = 42`
  const WRITE = String.raw`7 pwrite64(18</data/p.db-wal>, "\r\0a-1\5", 4096, 56) = 4096`
  const SYNC = '7 fdatasync(18</data/p.db-wal>)            = 0'
  const SYNC_BEGINS = '9 fdatasync(18</data/p.db-wal> <unfinished ...>'
  const SYNC_ENDS = '9 <... fdatasync resumed>)            = 0'
  const ANSWER = String.raw`7 writev(20<socket:[5]>, [{iov_base="HTTP/1.1 200 OK\r\nX-Request-Id: a-1\r\n\r\n", iov_len=40}], 1) = 40`
  const UNSYNCHRONIZED = 'a-1 was answered before it was synchronized'

  for (const [what, lines, said] of [
    ['everything in order', [READ, WRITE, SYNC, ANSWER], undefined],
    [
      'everything in order, with some calls in parts',
      [READ_BEGINS, READ_ENDS, WRITE, SYNC_BEGINS, SYNC_ENDS, ANSWER],
      undefined,
    ],
    ['no synchronization', [READ, WRITE, ANSWER], UNSYNCHRONIZED],
    [
      'a synchronization that ends after the response',
      [READ, WRITE, SYNC_BEGINS, ANSWER, SYNC_ENDS],
      UNSYNCHRONIZED,
    ],
    ['no write', [READ, SYNC, ANSWER], 'a-1 was answered before it was written'],
  ] as const) {
    it(`with ${what} proves ${said === undefined ? 'that the response was durable' : 'nothing'}`, () => {
      expect(notDurable(lines.join('\n'), ['a-1'])).to.deep.equal(said === undefined ? [] : [said])
    })
  }
})
