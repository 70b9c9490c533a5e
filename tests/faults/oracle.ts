import type { Ledger } from './ledger.ts'

/** A token of a user, and what its receiver knows of it. */
export type Session = {
  readonly token: string
  /** The password it was opened with, or set by it. The token is valid while that is the user's password. */
  under: string
  signedOut: boolean
}

/** A user, as far as acknowledged responses tell. */
export type Person = {
  readonly id: string
  readonly email: string
  password: string
  sessions: Array<Session>
  /** Requests that were sent and never answered. The log decides whether they were executed. */
  undecided: Array<Readonly<{ requestId: string; takeEffect: () => void; password?: string }>>
  /** Passwords that would be correct if an unanswered request had another outcome. */
  wrongPasswords: Array<string>
}

export type Keys = Readonly<{ public_api_key: string; private_api_key: string }>

/** All users and their tokens. */
export type Cast = Readonly<{
  application: Readonly<{ id: string; keys: Keys }>
  /** The application that manages users. */
  manager: Readonly<{ id: string; keys: Keys }>
  managerTokens: Array<string>
  people: ReadonlyArray<Person>
  /** Application tokens, newest last. */
  applicationTokens: Array<string>
}>

export const isAlive = (person: Person, session: Session): boolean =>
  !session.signedOut && session.under === person.password

/** Applies an acknowledged password change. Of several that began with one old password, one may succeed. */
export const passwordChanged = (
  book: Ledger,
  person: Person,
  change: Readonly<{ session: Session; from: string; to: string }>,
): void => {
  if (person.password !== change.from)
    book.problems.push(
      `${person.email}: ${change.from} was changed twice, to ${person.password} and ${change.to}`,
    )
  person.password = change.to
  change.session.under = change.to
}

/** Applies unanswered requests that the log, read in the meantime, shows as executed. */
export const settle = (book: Ledger, people: ReadonlyArray<Person>): void => {
  for (const person of people) {
    const before = person.password
    const done = person.undecided
      .map((change) => ({ ...change, position: book.doneAt(change.requestId) }))
      .sort((one, other) => (one.position ?? 0) - (other.position ?? 0))
    for (const { position, takeEffect } of done) if (position !== undefined) takeEffect()
    person.wrongPasswords = [before, ...done.flatMap(({ password }) => password ?? [])].filter(
      (password) => password !== person.password,
    )
    person.undecided = []
    // The newest ones, some valid and some not.
    const [alive, dead] = [true, false].map((wanted) =>
      person.sessions.filter((session) => isAlive(person, session) === wanted).slice(-3),
    )
    person.sessions = [...(dead ?? []).slice(-2), ...(alive ?? [])]
  }
}
