import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { newMail } from '../../domain/mail.ts'
import type { Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { newId } from '../testkit/builders.ts'
import { listed, put } from '../testkit/outbox/steps.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { type Ledger, ledger } from './ledger.ts'
import { CONNECTIONS, idsTaken, type MailPlace, mailPlace, sentIn } from './mail-place.ts'
import { type Cast, type Person, settle } from './oracle.ts'
import { asking } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { cast, ENVIRONMENT, readOn } from './stage.ts'
import { until } from './until.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 6)

/** Each round has its own, because a user has only 20 changes of the password an hour. */
const PEOPLE_OF_A_ROUND = 6

/** With pages, to which recoveries link. */
const SETTINGS = {
  ...ENVIRONMENT,
  PUBLIC_URL: 'http://localhost:8080',
  ACCOUNT_PAGES: 'on',
  KEY_ENCRYPTION_KEY: `tests:${'5e'.repeat(32)}`,
}

for (const kind of SHARED_STORES)
  describe(`two instances that mail what changes on ${kind.name}, of which one or both are killed`, () => {
    it(`${ROUNDS} times, lose no notice, log each once, and repeat at most ${CONNECTIONS} a kill`, async () => {
      const seed = seedOfThisRun()
      const where = `FAULT_SEED=${seed}`
      const dice = chance(seed)
      const book = ledger()
      const relay = await startRelay({}, () => passes(dice.below(8), 'takes' as const))
      const place = await mailPlace(kind, relay.port)
      try {
        const everybody = await cast(place, book, ROUNDS * PEOPLE_OF_A_ROUND)
        const recoveries: Array<string> = []
        let kills = 0
        const kill = async (one: Serving): Promise<void> => {
          kills += 1
          await one.end('SIGKILL')
        }
        for (let round = 1; round <= ROUNDS; round += 1) {
          const [one, other] = await Promise.all([place.start(SETTINGS), place.start(SETTINGS)])
          const end = round * PEOPLE_OF_A_ROUND
          const present = { ...everybody, people: everybody.people.slice(end - PEOPLE_OF_A_ROUND, end) }
          recoveries.push(...(await putRecoveries(place, present)))
          const traffic = changePasswords([one.port, other.port], present, book)
          const enough = book.acknowledged() + 40 + dice.below(80)
          await until('there are changes', () => book.acknowledged() > enough)
          await kill(one)
          await traffic.stop()
          await passes(dice.below(200))
          if (dice.below(2) === 0) await kill(other)
          else expect(await other.end(), where).to.equal(0)
          await place.endLeases()
          await readOn(place, book)
          settle(book, everybody.people)
        }
        const last = await place.start(SETTINGS)
        const isEmpty = async () => ((await listed(place.outbox)).length === 0 ? true : undefined)
        await eventually('all mails', isEmpty, { patienceMs: 60_000 })
        expect(await last.end()).to.equal(0)

        expect(book.problems, where).to.deep.equal([])
        const [mails, sent] = [idsTaken(relay), await sentIn(place)]
        expect([...new Set(mails)], where).to.deep.equal(sent)
        expect(new Set(sent).size, where).to.equal(sent.length)
        expect(mails.length - sent.length, where).to.be.at.most(CONNECTIONS * kills)
        expect(sent, where).to.include.members(recoveries)
        const log = await wholeLog(place.store)
        const changes = log.filter(({ type }) => type === 'PasswordChanged').length
        expect(changes, where).to.be.above(15 * ROUNDS)
        expect(sent, where).to.have.lengthOf(changes + recoveries.length)
      } finally {
        await place.remove()
        await relay.stop()
      }
    }).timeout(180_000)
  })

/** Recoveries that a request of each user has put. */
const putRecoveries = async (
  { outbox }: MailPlace,
  { people, application }: Cast,
): Promise<ReadonlyArray<string>> => {
  const mails = people.map(({ email }) =>
    newMail(
      {
        id: newId(),
        kind: 'recovery',
        userId: none,
        address: email,
        language: none,
        applicationId: some(application.id),
      },
      Math.floor(Date.now() / 1000),
    ),
  )
  await put(outbox, ...mails)
  return mails.map(({ id }) => id)
}

/** All users change their passwords until this is stopped, or their connection breaks. */
const changePasswords = (ports: ReadonlyArray<number>, cast: Cast, book: Ledger) => {
  let isStopped = false
  let made = 0
  const change = async (person: Person, port: number): Promise<void> => {
    const ask = asking(port, cast, book)
    await ask.applicationToken()
    while (!isStopped) {
      const { status } = await ask.signIn(person, person.password, cast.applicationTokens.at(-1))
      const session = person.sessions.at(-1)
      if (status !== 200 || session === undefined) break
      made += 1
      const changed = await ask.changePassword(
        person,
        session,
        person.password,
        `password ${made} of ${port}`,
      )
      if (changed.status !== 200) break
      person.sessions = person.sessions.slice(-1)
    }
    ask.close()
  }
  const changing = Promise.all(
    cast.people.map((person, index) => change(person, ports[index % ports.length] ?? 0)),
  )
  return {
    stop: async (): Promise<void> => {
      isStopped = true
      await changing
    },
  }
}
