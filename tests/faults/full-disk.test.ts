import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ProcessWorkplace, processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { type Ledger, ledger } from './ledger.ts'
import { type Load, load } from './load.ts'
import { needsMounts, needsStrace } from './machine.ts'
import { type Disk, mountDisk } from './mounted.ts'
import type { Cast, Person } from './oracle.ts'
import { type Asking, asking } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, verify } from './stage.ts'
import { until, within } from './until.ts'

type Repair = () => Promise<void> | void

/** Failures of a disk under a running server, with their repairs. */
const FAULTS: ReadonlyArray<
  readonly [
    what: string,
    needs: (test: Mocha.Context) => void,
    inflict: (disk: Disk, pid: number) => Promise<Repair>,
  ]
> = [
  [
    'is full',
    () => {},
    async (disk) => {
      disk.fill()
      return disk.free
    },
  ],
  // The kernel never revokes write access to an open file, so strace replaces the results.
  ['has become read-only', needsStrace, (disk, pid) => disk.breakCalls(pid, WAL, 'pwrite64', 'EROFS')],
  ['has no quota left', needsStrace, (disk, pid) => disk.breakCalls(pid, WAL, 'pwrite64', 'EDQUOT')],
  ['does not synchronize', needsStrace, (disk, pid) => disk.breakCalls(pid, WAL, 'fdatasync,fsync', 'EIO')],
]

const WAL = 'portcullis.db-wal'

/** Longer than the deadline of a request. */
const ANSWER_MS = 30_000

describe('a server whose disk', () => {
  let place: ProcessWorkplace
  let disk: Disk
  beforeEach(async function () {
    needsMounts(this)
    place = processWorkplace((commandLine, folder) => disk.by(commandLine, folder))
    mkdirSync(join(place.folder, 'data'))
    disk = await mountDisk(join(place.folder, 'data'), 16)
  })
  afterEach(async () => {
    place?.remove()
    await disk?.unmount()
  })

  const seed = seedOfThisRun()
  const dice = chance(seed)

  /** Runs a server under load until its disk has refused many changes while reads continued. */
  const withFault = async (inflict: (disk: Disk, pid: number) => Promise<Repair>) => {
    const book = ledger()
    const everybody = await within('the users are made', cast(place, book, 3))
    const [reader, ...people] = everybody.people
    const server = await within(
      'the server listens',
      place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'silent' }),
    )
    const traffic = load(server.port, { ...everybody, people }, book, dice, 'changes')
    const { replies } = traffic
    await until('there is traffic', () => replies.length > 100)
    const [token] = everybody.applicationTokens
    const reads = await readsOf(reader, asking(server.port, everybody, book), token)
    const repair = await inflict(disk, server.pid)
    const before = replies.length
    const refused = () => replies.slice(before).filter(({ isChange, status }) => isChange && status === 503)
    await until('changes are refused', () => refused().length > 40)
    await within('profiles are read', reads())
    await becomes(server, 503)
    return { book, everybody, server, traffic, repair }
  }

  /**
   * Signs a user in who is not part of the load, and returns what reads the profile 20 times. Each user of the load may be signed out
   * when the disk fails, and then reads nothing.
   */
  const readsOf = async (reader: Person | undefined, ask: Asking, token: string | undefined) => {
    if (reader !== undefined) await ask.signIn(reader, reader.password, token)
    const [session] = reader?.sessions ?? []
    if (reader === undefined || session === undefined) throw new Error('the reader is not signed in')
    return async (): Promise<void> => {
      for (let each = 1; each <= 20; each += 1)
        expect((await ask.profile(reader, session)).status).to.equal(200)
      ask.close()
    }
  }

  const expectNoProblem = (book: Ledger): void => {
    expect(book.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
  }

  for (const [what, needs, inflict] of FAULTS) {
    it(`${what} refuses changes, continues to read, and accepts changes later without a restart`, async function () {
      needs(this)
      const { book, everybody, server, traffic, repair } = await withFault(inflict)
      await repair()
      await changesSucceed(traffic)
      await becomes(server, 200)
      await within('the traffic stops', traffic.stop())
      await within('the log is verified', verify(place, server.port, everybody, book))
      expectNoProblem(book)
      await within('doctor agrees', agree(place))
      expect(await within('the server stops', server.end())).to.equal(0)
      await isAsItWas(everybody, book)
    })

    it(`${what} can be killed, and no refused change is in the store`, async function () {
      needs(this)
      const { book, everybody, server, traffic, repair } = await withFault(inflict)
      await within('the server is killed', server.end('SIGKILL'))
      await within('the traffic ends', traffic.over)
      await repair()
      await isAsItWas(everybody, book)
      await within('doctor agrees', agree(place))
    })
  }

  it('is full is not ready as long as no sign-in succeeds, although smaller changes would fit', async () => {
    const book = ledger()
    const everybody = await within('the users are made', cast(place, book, 1))
    const server = await within('the server listens', place.serve('serve', ENVIRONMENT))
    const ask = asking(server.port, everybody, book)
    const token = (await ask.applicationToken()).body.token
    const [person] = everybody.people
    if (person === undefined) throw new Error('there is no user')
    const seen: Array<readonly [signIn: number | undefined, readyz: number]> = []
    const signInAndProbe = async (): Promise<void> => {
      const { status } = await ask.signIn(person, person.password, token)
      seen.push([status, (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status])
    }
    disk.fill(8 * 4_096)
    for (let times = 1; times <= 40; times += 1) await signInAndProbe()
    const refused = seen.slice(seen.findIndex(([signIn]) => signIn === 503))
    expect(refused.length).to.be.greaterThan(20)
    expect(refused.filter(([, readyz]) => readyz !== 503)).to.deep.equal([])
    disk.free()
    await becomes(server, 200)
    await signInAndProbe()
    expect(seen.at(-1)).to.deep.equal([200, 200])
    ask.close()
    expect(await within('the server stops', server.end())).to.equal(0)
  })

  const becomes = async ({ port }: Serving, status: number): Promise<void> => {
    await eventually(`/readyz says ${status}`, async () =>
      (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })).status ===
      status
        ? true
        : undefined,
    )
  }

  const changesSucceed = async ({ replies }: Load): Promise<void> => {
    const before = replies.length
    await until(
      'changes succeed',
      () => replies.slice(before).filter(({ isChange, status }) => isChange && status === 200).length > 40,
    )
  }

  const isAsItWas = async (everybody: Cast, book: Ledger): Promise<void> => {
    const server: Serving = await within('the server listens again', place.serve('serve', ENVIRONMENT))
    await within('the log is verified again', verify(place, server.port, everybody, book))
    expectNoProblem(book)
    expect(await within('the server stops again', server.end())).to.equal(0)
  }

  for (const [what, prepare] of [
    ['is full', () => disk.fill()],
    ['is read-only', () => disk.makeReadOnly()],
  ] as const) {
    for (const [store, lay] of [
      ['without a store', async () => {}],
      ['with a store', async () => void (await cast(place, ledger(), 0))],
    ] as const) {
      it(`${what} does not start ${store} and reports it with one sentence`, async () => {
        await within('the store is made', lay())
        prepare()
        const { status, out, err } = await within('the server gives up', place.portcullis('serve'))
        expect({ status, out }, err).to.deep.equal({ status: 1, out: '' })
        expect(err).to.match(/^The database \S+ cannot be used: [^\n]*\n$/)
      })
    }
  }
})
