import type { Ledger } from './ledger.ts'

/** A token of a user, and what its receiver knows of it. */
export type Session = {
  /** The newest one. */
  token: string
  /** The password it was opened with, or set by it. The token is valid while that is the user's password. */
  under: string
  signedOut: boolean
  /** Whether a renewal was recorded. The next one, within a minute, then records nothing. */
  renewed: boolean
}

/** A one-time token, and what its receiver knows of it. */
export type OneTime = {
  readonly purpose: 'recovery' | 'email_confirmation'
  readonly text: string
  /** The e-mail to confirm, or that of the recovery. */
  readonly email: string
  /** The generation of the user's tokens of this purpose at its start. */
  readonly generation: number
  used: boolean
}

/** A user, as far as acknowledged responses tell. */
export type Person = {
  /** A removed user who registers again has another id and e-mail. */
  id: string
  email: string
  password: string
  status: 'enabled' | 'disabled' | 'removed'
  sessions: Array<Session>
  tokens: Array<OneTime>
  /** Raised by everything that ends all one-time tokens of a purpose. */
  generations: Record<OneTime['purpose'], number>
  /** How often a recovery or a confirmation was started since the e-mail is the user’s. */
  starts: number
  /** Requests that were sent and never answered. The log decides whether they were executed. */
  undecided: Array<Readonly<{ requestId: string; takeEffect: () => void; password?: string }>>
  /** Passwords that would be correct if an unanswered request had another outcome. */
  wrongPasswords: Array<string>
}

export type Keys = Readonly<{ public_api_key: string; private_api_key: string }>

/** An application with one scope, and its newest token. */
export type Other = { readonly id: string; readonly keys: Keys; token: string | undefined }

/** All users and their tokens. */
export type Cast = Readonly<{
  application: Readonly<{ id: string; keys: Keys }>
  /** Applications with one scope each, and their newest tokens. */
  others: Readonly<Record<'manager' | 'recoverer' | 'confirmer', Other>>
  people: ReadonlyArray<Person>
  /** Application tokens, newest last. */
  applicationTokens: Array<string>
}>

export const isAlive = (person: Person, session: Session): boolean =>
  !session.signedOut && session.under === person.password && person.status === 'enabled'

export const isUsable = (person: Person, token: OneTime): boolean =>
  !token.used && token.generation === person.generations[token.purpose] && person.status === 'enabled'

export const applicationTokenOf = ({ others }: Cast, name: keyof Cast['others']): string | undefined =>
  others[name].token

export const endEveryToken = (person: Person): void => {
  person.generations.recovery += 1
  person.generations.email_confirmation += 1
}

/** Ends every session for good, and the confirmations. A recovery must outlive it: a thief can end sessions, too. */
export const endSessions = (person: Person): void => {
  for (const session of person.sessions) session.signedOut = true
  person.generations.email_confirmation += 1
}

/** Applies an acknowledged recovery. */
export const passwordRecovered = (
  book: Ledger,
  person: Person,
  { token, to }: Readonly<{ token: OneTime; to: string }>,
): void => {
  if (!isUsable(person, token)) book.problems.push(`${person.email}: a recovery token was used after its end`)
  token.used = true
  person.password = to
  endEveryToken(person)
}

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
  endEveryToken(person)
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
