import type { Ledger } from './ledger.ts'

/** A token that a user got, and what the one who got it knows of it. */
export type Session = {
  readonly token: string
  /** The password it was opened with, or set by it: it lives as long as that is the user's. */
  under: string
  signedOut: boolean
}

/** A user, as far as the acknowledged answers tell. */
export type Person = {
  readonly id: string
  readonly email: string
  password: string
  sessions: Array<Session>
  /** What was sent and never answered: whether it was done the log has to say. */
  undecided: Array<Readonly<{ requestId: string; takeEffect: () => void; password?: string }>>
  /** Passwords that would be right now had something else happened. */
  wrongPasswords: Array<string>
}

export type Keys = Readonly<{ public_api_key: string; private_api_key: string }>

/** Everybody there is, and what they hold. */
export type Cast = Readonly<{
  application: Readonly<{ id: string; keys: Keys }>
  people: ReadonlyArray<Person>
  /** Application tokens, the newest last. */
  applicationTokens: Array<string>
}>

export const isAlive = (person: Person, session: Session): boolean =>
  !session.signedOut && session.under === person.password

/** What an acknowledged change of password means. Of several that began with one old password, one may be. */
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

/** Lets what was never answered take effect where the log, which has been read on, says that it was done. */
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
    // The newest, some alive and some not.
    const [alive, dead] = [true, false].map((wanted) =>
      person.sessions.filter((session) => isAlive(person, session) === wanted).slice(-3),
    )
    person.sessions = [...(dead ?? []).slice(-2), ...(alive ?? [])]
  }
}
