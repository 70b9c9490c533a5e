import type { Ledger } from './ledger.ts'
import { comeBack, lifeStep, type Tools } from './life-load.ts'
import { type Cast, isAlive, type Person, type Session } from './oracle.ts'
import { peopleStep, stepWithoutPassword } from './people-load.ts'
import { renewalStep } from './renewal-load.ts'
import { type Asking, asking, type Reply } from './requests.ts'
import type { Chance } from './seed.ts'

/** Traffic that continues until it is stopped or its connections break. A user with an undecided change sends nothing more. */
export type Load = Readonly<{
  /** Resolves when every connection has received one response. */
  flowing: Promise<void>
  /** Waits for the responses in flight and ends. */
  stop: () => Promise<void>
  /** Resolves when all senders have stopped. */
  over: Promise<void>
  /** All replies so far. */
  replies: ReadonlyArray<Reply>
}>

/**
 * All users send requests concurrently, one at a time each, while an application requests tokens. Impossible responses
 * become problems of the book.
 *
 * @param ports of one service, or of several on one store that the users take in turn
 * @param book records every request
 * @param mayFail which requests may get a 503: `changes` are those that would write
 */
export const load = (
  ports: number | readonly [number, ...ReadonlyArray<number>],
  cast: Cast,
  book: Ledger,
  dice: Chance,
  mayFail: 'nothing' | 'changes' | 'everything' = 'nothing',
): Load => {
  let isStopped = false
  const replies: Array<Reply> = []
  const lines: Array<Asking> = []
  const all = typeof ports === 'number' ? ([ports] as const) : ports

  /** Each connection goes to the next port. */
  const connect = (heard: (reply: Reply) => void): Asking => {
    const made = asking(all[lines.length % all.length] ?? all[0], cast, book, (reply) => {
      replies.push(reply)
      heard(reply)
    })
    lines.push(made)
    return made
  }

  const expected = (what: string, { requestId, status }: Reply, ...statuses: ReadonlyArray<number>): void => {
    if (status !== undefined && !statuses.includes(status))
      book.problems.push(`${requestId}: ${what} was answered ${status}`)
  }
  const unavailable = mayFail === 'nothing' ? [] : [503]
  const unreadable = mayFail === 'everything' ? [503] : []

  /** Not always the newest token: earlier ones must survive a crash too. */
  const applicationToken = () => dice.of(cast.applicationTokens.slice(-8))

  const race = async (person: Person, one: Session, other: Session, asks: readonly [Asking, Asking]) => {
    const from = person.password
    const both = await Promise.all([
      asks[0].changePassword(person, one, from, newPassword()),
      asks[1].changePassword(person, other, from, newPassword()),
    ])
    const statuses = both.map(({ status }) => status)
    for (const reply of both)
      expected('one of two changes', reply, 200, 422, ...(one === other ? [] : [401]), ...unavailable)
    const isOpen = statuses.some((status) => status === undefined || unavailable.includes(status))
    if (!isOpen && statuses.filter((status) => status === 200).length !== 1)
      book.problems.push(`${both[0].requestId}: of two changes on one password: ${statuses}`)
    for (const { requestId, status, body } of both) {
      if (status === 422 && body.errors.map(({ code }: { code: number }) => code).join() !== '4')
        book.problems.push(`${requestId}: the loser of a race was told ${JSON.stringify(body)}`)
    }
  }

  let made = 0
  const newPassword = () => `password ${dice.below(1e6)} ${++made}`
  const newEmail = () => `user.${dice.below(1e6)}.${++made}@example.com`
  const tools: Tools = {
    ...{ dice, expected, unavailable, unreadable, newPassword, newEmail, applicationToken },
    problems: book.problems,
  }

  const step = async (person: Person, asks: readonly [Asking, Asking]): Promise<void> => {
    const alive = person.sessions.filter((session) => isAlive(person, session))
    const session = dice.of(alive)
    const other = dice.of(alive)
    const [ask, askBeside] = asks
    if (person.status !== 'enabled') {
      await comeBack(person, asks, tools)
      return
    }
    if (!person.hasPassword) {
      await stepWithoutPassword(person, session, { asks, tools })
      return
    }
    const lot = dice.below(212)
    if (session === undefined || other === undefined || lot < 20) {
      expected(
        'a sign-in',
        await ask.signIn(person, person.password, applicationToken(), dice.below(3) === 0),
        200,
        ...unavailable,
      )
    } else if (lot < 45) {
      expected('a profile', await ask.profile(person, session), 200, ...unreadable)
    } else if (lot < 50) {
      const dead = person.sessions.find((each) => !isAlive(person, each))
      if (dead) expected('a profile of a dead token', await ask.profile(person, dead), 401, ...unreadable)
    } else if (lot < 53) {
      expected('an end of sessions', await ask.manage(person, 'end_sessions'), 200, ...unavailable)
    } else if (lot < 60) {
      expected('a sign-out', await ask.signOut(person, session), 200, ...unavailable)
    } else if (lot < 75) {
      expected(
        'a change',
        await ask.changePassword(person, session, person.password, newPassword()),
        200,
        ...unavailable,
      )
    } else if (lot < 87) {
      await race(person, session, other, asks)
    } else if (lot < 94) {
      const old = person.password
      const [change, signIn] = await Promise.all([
        ask.changePassword(person, session, old, newPassword()),
        askBeside.signIn(person, old, applicationToken()),
      ])
      expected('a change', change, 200, ...unavailable)
      expected('a sign-in beside it', signIn, 200, 422, ...unavailable)
    } else if (lot < 97) {
      // An attempt that cannot be counted is not made.
      expected('a wrong password', await ask.signIn(person, 'wrong', applicationToken()), 422, ...unavailable)
    } else if (lot < 100) {
      const change = ask.changePassword(person, session, 'wrong', newPassword())
      expected('a change with a wrong password', await change, 422, ...unavailable)
    } else if (lot < 122) await renewalStep(person, [session, other], { asks, tools })
    else if (lot < 152) await lifeStep(person, session, { asks, tools })
    else await peopleStep(person, session, { asks, tools })
    if (person.sessions.length > 12) person.sessions = person.sessions.slice(-12)
  }

  /** A user who continues until a connection breaks, or a change is undecided. */
  const client = (isUndecided: () => boolean) => {
    let isLost = false
    return {
      connect: () =>
        connect(({ fate }) => {
          isLost ||= fate !== 'answered'
        }),
      goOn: async (act: () => Promise<void>): Promise<void> => {
        while (!isStopped && !isLost && !isUndecided()) await act()
      },
    }
  }

  const getToken = async (ask: Asking): Promise<void> => {
    expected('an application token', await ask.applicationToken(), 200, ...unavailable)
    cast.applicationTokens.splice(0, cast.applicationTokens.length - 8)
  }

  const shops = all.map(() => {
    const { connect, goOn } = client(() => false)
    const ask = connect()
    return { ask, goOn: () => goOn(() => getToken(ask)) }
  })
  const users = cast.people.map((person) => {
    const { connect, goOn } = client(() => person.undecided.length > 0)
    const asks = [connect(), connect()] as const
    return { goOn: () => goOn(() => step(person, asks)) }
  })
  const begin = async (): Promise<void> => {
    await Promise.all(lines.map(({ health }) => health()))
    if (cast.applicationTokens.length === 0) await Promise.all(shops.map(({ ask }) => getToken(ask)))
    const [first] = shops
    for (const name of Object.keys(cast.others) as ReadonlyArray<keyof Cast['others']>)
      if (cast.others[name].token === undefined && first !== undefined)
        expected(`a token of the ${name}`, await first.ask.otherToken(name), 200, ...unavailable)
  }
  const goOn = async (): Promise<void> => {
    await Promise.all([...shops, ...users].map((each) => each.goOn()))
    for (const { close } of lines) close()
  }

  const flowing = begin()
  const over = flowing.then(goOn)
  return {
    flowing,
    stop: () => {
      isStopped = true
      return over
    },
    over,
    replies,
  }
}
