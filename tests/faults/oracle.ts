import type { Ledger } from './ledger.ts'
import type { Reply } from './requests.ts'

/** A token of a user, and what its receiver knows of it. */
export type Session = {
  /** The newest one. */
  token: string
  /** The password it was opened with, or set by it. The token is valid while that is the user's password. */
  under: string
  signedOut: boolean
  /** Whether a renewal was recorded. The next one, within a minute, then records nothing. */
  renewed: boolean
  /** Whether it is to last longer than an ordinary one. */
  remembered: boolean
  /** Who opened it, and may renew it. */
  by: 'application' | 'voucher'
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
  /** Without one, a text that is no password. */
  password: string
  hasPassword: boolean
  /** Whether the e-mail is verified. */
  verified: boolean
  roles: ReadonlyArray<string>
  /** The attribute. */
  name: string | undefined
  status: 'enabled' | 'disabled' | 'removed'
  sessions: Array<Session>
  tokens: Array<OneTime>
  /** Raised by everything that ends all one-time tokens of a purpose. */
  generations: Record<OneTime['purpose'], number>
  /** How often a recovery or a confirmation was started since the e-mail is the user’s. */
  starts: number
  /** How often an application vouched for this user. */
  vouched: number
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
  others: Readonly<
    Record<'manager' | 'recoverer' | 'confirmer' | 'voucher' | 'promoter' | 'editor' | 'reader', Other>
  >
  people: ReadonlyArray<Person>
  /** Application tokens, newest last. */
  applicationTokens: Array<string>
}>

/** What a user has after a registration. */
export const NEW_USER = () =>
  ({
    hasPassword: true,
    verified: false,
    roles: [],
    name: undefined,
    status: 'enabled',
    starts: 0,
    vouched: 0,
  }) satisfies Partial<Person>

export const isAlive = (person: Person, session: Session): boolean =>
  !session.signedOut && session.under === person.password && person.status === 'enabled'

/** Whether the password lets the user in. */
export const canSignIn = ({ status, hasPassword }: Person): boolean => status === 'enabled' && hasPassword

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

/** Applies an effect that was acknowledged. The log decides about one without a response. */
export const effective = (person: Person, reply: Reply, takeEffect: () => void, password?: string): Reply => {
  const { isUndecided, status = 0, requestId } = reply
  if (status >= 200 && status < 300) takeEffect()
  if (isUndecided)
    person.undecided.push({ requestId, takeEffect, ...(password === undefined ? {} : { password }) })
  return reply
}

/** The lifetime of an ordinary session, in seconds. A remembered one lasts longer. */
export const SESSION_TTL = 86_400

/** Whether a response says that the session is remembered, as it has to. */
export const compareLifetime = (book: Ledger, remembered: boolean, { requestId, body }: Reply): void => {
  if (body.session_expires_in > SESSION_TTL !== remembered)
    book.problems.push(
      `${requestId}: a session (remembered: ${remembered}) has ${body.session_expires_in} seconds`,
    )
}

/** Keeps the session of an acknowledged sign-in, and compares what the response says of the user. */
export const sessionOpened = (
  book: Ledger,
  person: Person,
  reply: Reply,
  {
    remember,
    by,
    under = person.password,
  }: Readonly<{ remember: boolean; by: Session['by']; under?: string }>,
): void => {
  const { token, roles, email_verified } = reply.body
  if (`${roles}` !== `${person.roles}` || email_verified !== person.verified)
    book.problems.push(`${reply.requestId}: ${person.email} signed in with ${roles}, ${email_verified}`)
  compareLifetime(book, remember, reply)
  person.sessions.push({ token, under, signedOut: false, renewed: false, remembered: remember, by })
}

/** Compares what a response shows of a user with what was acknowledged. */
export const compareShown = (book: Ledger, person: Person, reply: Reply, shown = reply.body): void => {
  const found = JSON.stringify([shown.email, shown.email_verified, shown.roles, shown.name ?? null])
  const known = JSON.stringify([person.email, person.verified, person.roles, person.name ?? null])
  if (found !== known) book.problems.push(`${reply.requestId}: ${found} was shown instead of ${known}`)
}

/** Applies an acknowledged claim: the password and all that it opened is gone. */
export const accountClaimed = (person: Person, noPassword: string): void => {
  person.password = noPassword
  person.hasPassword = false
  person.verified = true
  endEveryToken(person)
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
  person.hasPassword = true
  person.verified = true
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
