import type { Ledger } from './ledger.ts'
import { type Cast, isAlive, type Person, type Session } from './oracle.ts'
import { type Asking, asking, type Reply } from './requests.ts'
import type { Chance } from './seed.ts'

/** Traffic that goes on until it is stopped, or nobody answers any more. Who gets no answer sends nothing after it. */
export type Load = Readonly<{
  /** Resolves when every connection has been answered on once. */
  flowing: Promise<void>
  /** Lets what is in flight be answered, and ends. */
  stop: () => Promise<void>
  /** Resolves when nobody sends any more. */
  over: Promise<void>
  /** Every reply so far. */
  replies: ReadonlyArray<Reply>
}>

/**
 * Every user does one thing after the other, all users at once, and an application gets tokens beside them. Answers that
 * cannot be right become problems of the book.
 *
 * @param ports of one service, or of several on one store that everybody goes to by turns
 * @param book remembers every request
 * @param mayFail to what 503 is an answer: changes are what would change something
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

  /** Each connection is to the next of them. */
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

  /** A token that is not the very newest only: those from before a crash are worth as much. */
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

  const step = async (person: Person, asks: readonly [Asking, Asking]): Promise<void> => {
    const alive = person.sessions.filter((session) => isAlive(person, session))
    const session = dice.of(alive)
    const other = dice.of(alive)
    const [ask, askBeside] = asks
    const lot = dice.below(100)
    if (session === undefined || other === undefined || lot < 20) {
      expected(
        'a sign-in',
        await ask.signIn(person, person.password, applicationToken()),
        200,
        ...unavailable,
      )
    } else if (lot < 45) {
      expected('a profile', await ask.profile(person, session), 200, ...unreadable)
    } else if (lot < 50) {
      const dead = person.sessions.find((each) => !isAlive(person, each))
      if (dead) expected('a profile of a dead token', await ask.profile(person, dead), 401, ...unreadable)
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
      // A guess that cannot be counted is not made.
      expected('a wrong password', await ask.signIn(person, 'wrong', applicationToken()), 422, ...unavailable)
    } else {
      const change = ask.changePassword(person, session, 'wrong', newPassword())
      expected('a change with a wrong password', await change, 422, ...unavailable)
    }
    if (person.sessions.length > 12) person.sessions = person.sessions.slice(-12)
  }

  /** Somebody who goes on until there was no answer on one of their connections. */
  const client = () => {
    let isLost = false
    return {
      connect: () =>
        connect(({ fate }) => {
          isLost ||= fate !== 'answered'
        }),
      goOn: async (act: () => Promise<void>): Promise<void> => {
        while (!isStopped && !isLost) await act()
      },
    }
  }

  const getToken = async (ask: Asking): Promise<void> => {
    expected('an application token', await ask.applicationToken(), 200, ...unavailable)
    cast.applicationTokens.splice(0, cast.applicationTokens.length - 8)
  }

  const shops = all.map(() => {
    const { connect, goOn } = client()
    const ask = connect()
    return { ask, goOn: () => goOn(() => getToken(ask)) }
  })
  const users = cast.people.map((person) => {
    const { connect, goOn } = client()
    const asks = [connect(), connect()] as const
    return { goOn: () => goOn(() => step(person, asks)) }
  })
  const begin = async (): Promise<void> => {
    await Promise.all(lines.map(({ health }) => health()))
    if (cast.applicationTokens.length === 0) await Promise.all(shops.map(({ ask }) => getToken(ask)))
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
