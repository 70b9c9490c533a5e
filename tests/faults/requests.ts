import type { TestRequest } from '../support/http-client.ts'
import { type KeepAlive, keepAlive } from './keep-alive.ts'
import { type Effect, isCertain, type Ledger } from './ledger.ts'
import { lifeRequests } from './life-requests.ts'
import {
  applicationTokenOf,
  type Cast,
  compareLifetime,
  compareShown,
  isAlive,
  type Person,
  passwordChanged,
  type Session,
  sessionOpened,
} from './oracle.ts'
import { peopleRequests } from './people-requests.ts'

/** The outcome of a request: a status, or none. */
export type Reply = Readonly<{
  requestId: string
  path: string
  /** Whether it requested a change that is certain if it succeeds. */
  isChange: boolean
  fate: 'answered' | 'not sent' | 'broken'
  /** Whether only the log can tell if it was executed: no response, or one that says so. */
  isUndecided: boolean
  status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test is about to find out
  body: any
  /** For a broken one. */
  because?: string
  onNewConnection?: boolean
}>

/** The requests of one connection. Every response is recorded and checked. */
export type Asking = ReturnType<typeof asking>

/** @param heard is called with every reply */
export const asking = (port: number, cast: Cast, book: Ledger, heard: (reply: Reply) => void = () => {}) => {
  const line: KeepAlive = keepAlive(port)

  const ask = async (request: TestRequest, effect?: Effect): Promise<Reply> => {
    const requestId = book.ask(effect)
    const isChange = isCertain(effect)
    const { path } = request
    const exchange = await line.send({ ...request, headers: { 'X-Request-Id': requestId } })
    if (exchange.fate !== 'answered') {
      const isUndecided = exchange.fate === 'broken'
      book.hear(requestId, isUndecided ? 'unknown' : 'refused')
      const reply = {
        requestId,
        path,
        isChange,
        isUndecided,
        ...exchange,
        status: undefined,
        body: undefined,
      }
      heard(reply)
      return reply
    }
    const { fate, status, headers, body } = exchange
    const isUndecided = status === 503 && body?.outcome === 'unknown'
    book.hear(requestId, isUndecided ? 'unknown' : status < 300 ? 'acknowledged' : 'refused')
    const what = `${request.method} ${request.path} (${requestId}) was answered ${status}`
    if (headers['x-request-id'] !== requestId) book.problems.push(`${what} under another id`)
    if (status >= 300 && (body?.success !== false || body.code !== status))
      book.problems.push(`${what} outside of the envelope: ${JSON.stringify(body)}`)
    if (status >= 500 && status !== 503) book.problems.push(what)
    if (status === 503 && !OUTCOMES.includes(body?.outcome)) book.problems.push(`${what} without an outcome`)
    if (status === 503 && !/^\d+$/.test(headers['retry-after'] ?? ''))
      book.problems.push(`${what} without Retry-After`)
    const reply = { requestId, path, isChange, isUndecided, fate, status, body }
    heard(reply)
    return reply
  }

  return {
    ...lifeRequests(ask, cast, book),
    ...peopleRequests(ask, cast, book),
    close: line.close,

    /** The health check, the first request of each connection. */
    health: (): Promise<Reply> => ask({ method: 'GET', path: '/healthz' }),

    applicationToken: async (): Promise<Reply> => {
      const { id, keys } = cast.application
      const reply = await ask(
        { method: 'POST', path: '/api/v1/auth/application/token', body: keys },
        { type: 'ApplicationTokenIssued', subject: id },
      )
      if (reply.status === 200) cast.applicationTokens.push(reply.body.token)
      return reply
    },

    /** A token of an application with one scope. */
    otherToken: async (name: keyof Cast['others']): Promise<Reply> => {
      const other = cast.others[name]
      const reply = await ask(
        { method: 'POST', path: '/api/v1/auth/application/token', body: other.keys },
        { type: 'ApplicationTokenIssued', subject: other.id },
      )
      if (reply.status === 200) other.token = reply.body.token
      return reply
    },

    signIn: async (
      person: Person,
      password: string,
      token: string | undefined,
      remember = false,
    ): Promise<Reply> => {
      const reply = await ask(
        {
          method: 'POST',
          path: '/api/v1/auth/user/token',
          ...(token === undefined ? {} : { token }),
          body: { email: person.email, password, label: LABEL, remember },
        },
        { type: 'UserSignedIn', subject: person.id },
      )
      if (reply.status === 200)
        sessionOpened(book, person, reply, { remember, by: 'application', under: password })
      return reply
    },

    /**
     * Of a session that was renewed before, or is renewed beside, it may write nothing. Of a remembered one it writes nothing: the
     * expiry is its end.
     */
    renew: async (
      person: Person,
      session: Session,
      { token, isAlone = true }: Readonly<{ token: string | undefined; isAlone?: boolean }>,
    ): Promise<Reply> => {
      const effect = { type: 'SessionRenewed', subject: person.id } as const
      const caller = session.by === 'voucher' ? applicationTokenOf(cast, 'voucher') : token
      const reply = await ask(
        {
          method: 'POST',
          path: '/api/v1/auth/user/token/renew',
          ...(caller === undefined ? {} : { token: caller }),
          body: { token: session.token },
        },
        effectOf(session, isAlone, effect),
      )
      const takeEffect = () => {
        session.renewed = true
      }
      if (reply.status === 200) {
        takeEffect()
        session.token = reply.body.token
        compareLifetime(book, session.remembered, reply)
      }
      if (reply.isUndecided) person.undecided.push({ requestId: reply.requestId, takeEffect })
      return reply
    },

    stepUp: async (person: Person, session: Session, password: string): Promise<Reply> => {
      const reply = await ask(
        { method: 'POST', path: '/api/v1/profile/step_up', token: session.token, body: { password } },
        { type: 'SessionSteppedUp', subject: person.id },
      )
      if (reply.status === 200) session.token = reply.body.token
      if (reply.isUndecided) person.undecided.push({ requestId: reply.requestId, takeEffect: () => {} })
      return reply
    },

    signOut: async (person: Person, session: Session): Promise<Reply> => {
      const reply = await ask(
        { method: 'DELETE', path: '/api/v1/auth/user/token', token: session.token },
        { type: 'UserSignedOut', subject: person.id },
      )
      const takeEffect = () => {
        session.signedOut = true
      }
      if (reply.status === 200) takeEffect()
      if (reply.isUndecided) person.undecided.push({ requestId: reply.requestId, takeEffect })
      return reply
    },

    changePassword: async (person: Person, session: Session, from: string, to: string): Promise<Reply> => {
      const reply = await ask(
        {
          method: 'POST',
          path: '/api/v1/profile/change_password',
          token: session.token,
          body: { old_password: from, new_password: to, new_password_check: to },
        },
        { type: 'PasswordChanged', subject: person.id },
      )
      const takeEffect = () => passwordChanged(book, person, { session, from, to })
      if (reply.status === 200) takeEffect()
      if (reply.isUndecided) person.undecided.push({ requestId: reply.requestId, takeEffect, password: to })
      return reply
    },

    /** Asks for the user of a token and checks the response. */
    profile: async (person: Person, session: Session): Promise<Reply> => {
      const reply = await ask({ method: 'GET', path: '/api/v1/profile', token: session.token })
      if (reply.status === 200) compareShown(book, person, reply)
      if (reply.status === 200 && !isAlive(person, session))
        book.problems.push(`${reply.requestId}: a dead token of ${person.email} works`)
      if (reply.status === 401 && isAlive(person, session))
        book.problems.push(`${reply.requestId}: a good token of ${person.email} does not work`)
      return reply
    },
  }
}

const effectOf = (session: Session, isAlone: boolean, effect: Effect): Effect | undefined => {
  if (session.remembered) return undefined
  return session.renewed || !isAlone ? { ...effect, isCertain: false } : effect
}

/** Of every session. */
const LABEL = 'Firefox on Linux'

/** docs/contract.md §1.10. */
const OUTCOMES: ReadonlyArray<unknown> = ['none', 'unknown']
