import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { settle } from './oracle.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, prove, readOn } from './stage.ts'

const CYCLES = Number(process.env.FAULT_CYCLES ?? 100)
const EXAMINED_EVERY = 20

describe('a server that is killed under load', () => {
  const place = processWorkplace()
  after(place.remove)

  it(`${CYCLES} times keeps all acknowledged changes exactly once and no partial change`, async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const book = ledger()
    const everybody = await cast(place, book)
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      // Both of these open the store at the same time, as the crash left it.
      const [server] = await Promise.all([place.serve('serve', ENVIRONMENT), readOn(place, book)])
      settle(book, everybody.people)
      await prove(server.port, everybody, book)
      const traffic = load(server.port, everybody, book, dice)
      await traffic.flowing
      await passes(dice.below(400) + 50)
      await server.end('SIGKILL')
      await traffic.over
      expect(book.problems, `cycle ${cycle}, FAULT_SEED=${seed}`).to.deep.equal([])
      if (cycle % EXAMINED_EVERY === 0) await agree(place)
    }
    await readOn(place, book)
    expect(book.problems, `at the end, FAULT_SEED=${seed}`).to.deep.equal([])
    await agree(place)
    if (CYCLES >= 100) expect(book.acknowledgedOf()).to.include.all.keys(...CHANGES)
  })
})

/** Every change that a request makes, except revocations and changes of other sessions. */
const CHANGES = [
  ...['ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed'],
  ...['SessionSteppedUp', 'UserSignedOut', 'PasswordChanged'],
  ...['RecoveryStarted', 'PasswordRecovered', 'EmailConfirmationStarted', 'EmailConfirmed'],
  ...['UserDisabled', 'UserEnabled', 'SessionsEnded', 'UserRemoved', 'UserRegistered'],
]
