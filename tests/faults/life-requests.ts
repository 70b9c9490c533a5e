import type { TestRequest } from '../support/http-client.ts'
import type { Effect, Ledger } from './ledger.ts'
import {
  applicationTokenOf,
  type Cast,
  effective,
  endEveryToken,
  endSessions,
  NEW_USER,
  type OneTime,
  type Person,
  passwordRecovered,
  type Session,
} from './oracle.ts'
import type { Reply } from './requests.ts'

type Ask = (request: TestRequest, effect?: Effect) => Promise<Reply>

/** The events of the actions of an application that manages users. */
const MANAGED = {
  disable: 'UserDisabled',
  enable: 'UserEnabled',
  remove: 'UserRemoved',
  end_sessions: 'SessionsEnded',
} as const

/** The requests of an account’s whole life, beside sign-in and password change. Every response is recorded. */
export const lifeRequests = (ask: Ask, cast: Cast, book: Ledger) => {
  const as = (application: keyof Cast['others']) => {
    const token = applicationTokenOf(cast, application)
    return token === undefined ? {} : { token }
  }
  const post = (path: string, body: object) => ({ method: 'POST', path: `/api/v1/${path}`, body })

  /** Keeps the token of a response. It is lost without one. */
  const keep = (person: Person, reply: Reply, token: Pick<OneTime, 'purpose' | 'email'>): Reply => {
    if (reply.status !== 200) return reply
    const { token: text } = reply.body
    if (typeof text === 'string')
      person.tokens.push({ ...token, text, generation: person.generations[token.purpose], used: false })
    else book.problems.push(`${reply.requestId}: ${person.email} got no token`)
    return reply
  }

  return {
    startRecovery: async (person: Person): Promise<Reply> => {
      const { id, email } = person
      person.starts += 1
      const request = { ...post('users/recovery', { email }), ...as('recoverer') }
      const reply = await ask(request, { type: 'RecoveryStarted', subject: id })
      return keep(person, reply, { purpose: 'recovery', email })
    },

    recover: async (person: Person, token: OneTime, to: string): Promise<Reply> => {
      const body = { token: token.text, new_password: to, new_password_check: to }
      const reply = await ask(post('users/recovery/complete', body), {
        type: 'PasswordRecovered',
        subject: person.id,
      })
      return effective(person, reply, () => passwordRecovered(book, person, { token, to }), to)
    },

    startConfirmation: async (person: Person, email: string): Promise<Reply> => {
      const { id, password } = person
      person.starts += 1
      const request = post('users/email_confirmation', { user_id: id, email, password })
      const reply = await ask(
        { ...request, ...as('confirmer') },
        { type: 'EmailConfirmationStarted', subject: id },
      )
      return keep(person, reply, { purpose: 'email_confirmation', email })
    },

    confirm: async (person: Person, token: OneTime): Promise<Reply> => {
      const reply = await ask(post('users/email_confirmation/complete', { token: token.text }), {
        type: 'EmailConfirmed',
        subject: person.id,
      })
      return effective(person, reply, () => {
        if (token.used) book.problems.push(`${person.email}: a confirmation token was used twice`)
        token.used = true
        person.verified = true
        if (token.email === person.email) return
        person.email = token.email
        person.starts = 1 // they count on the e-mail, also those of this confirmation
        endEveryToken(person)
      })
    },

    /** Sent only if it changes something: the service also answers 200 if nothing needs to change. */
    manage: async (person: Person, action: keyof typeof MANAGED): Promise<Reply> => {
      const reply = await ask(
        { ...post(`users/${action}`, { user_id: person.id }), ...as('manager') },
        { type: MANAGED[action], subject: person.id },
      )
      return effective(person, reply, () => {
        if (action === 'enable') {
          person.status = 'enabled'
          return
        }
        endSessions(person)
        if (action === 'end_sessions') return
        endEveryToken(person)
        person.status = action === 'disable' ? 'disabled' : 'removed'
      })
    },

    removeOwn: async (person: Person, session: Session, password: string): Promise<Reply> => {
      const reply = await ask(
        { ...post('profile/remove', { password }), token: session.token },
        { type: 'UserRemoved', subject: person.id },
      )
      return effective(person, reply, () => {
        endSessions(person)
        endEveryToken(person)
        person.status = 'removed'
      })
    },

    /** A removed user registers again. The id is new. */
    register: async (
      person: Person,
      { email, password }: Readonly<{ email: string; password: string }>,
      token: string | undefined,
    ): Promise<Reply> => {
      const request = { ...post('users', { email, password }), ...(token === undefined ? {} : { token }) }
      const reply = await ask(request, { type: 'UserRegistered' })
      return effective(person, reply, () => {
        const id: string = reply.body?.id ?? book.subjectOf(reply.requestId)
        if (reply.status === 201) book.expectSubject(reply.requestId, id)
        Object.assign(person, { ...NEW_USER(), id, email, password })
      })
    },
  }
}
