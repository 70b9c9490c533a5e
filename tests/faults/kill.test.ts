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
    const answered = new Set<string>()
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
      for (const { path, status } of traffic.replies) if (status === 200) answered.add(path)
      expect(book.problems, `cycle ${cycle}, FAULT_SEED=${seed}`).to.deep.equal([])
      if (cycle % EXAMINED_EVERY === 0) await agree(place)
    }
    await readOn(place, book)
    expect(book.problems, `at the end, FAULT_SEED=${seed}`).to.deep.equal([])
    await agree(place)
    if (CYCLES < 100) return
    expect(book.acknowledgedOf()).to.include.all.keys(...CHANGES)
    expect([...answered]).to.include.members(ROUTES)
  })
})

/** Every change that a request makes, except revocations and changes of other sessions. */
const CHANGES = [
  ...['ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed'],
  ...['SessionSteppedUp', 'UserSignedOut', 'PasswordChanged'],
  ...['RecoveryStarted', 'PasswordRecovered', 'EmailConfirmationStarted', 'EmailConfirmed'],
  ...['AccountClaimed', 'UserRolesChanged', 'UserAttributesChanged'],
  ...['UserDisabled', 'UserEnabled', 'SessionsEnded', 'UserRemoved', 'UserRegistered'],
]

/** Routes whose events others write too, or that write none. What they answer is compared with what was acknowledged. */
const ROUTES = [
  ...['/api/v1/auth/user/vouched', '/api/v1/auth/user/token/renew', '/api/v1/profile'],
  ...['/api/v1/profile/attributes', '/api/v1/users/attributes', '/api/v1/users/roles'],
  ...['/api/v1/users/show', '/api/v1/users/search'],
]
