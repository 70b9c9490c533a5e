import type { TestRequest } from '../support/http-client.ts'
import type { Effect, Ledger } from './ledger.ts'
import {
  accountClaimed,
  applicationTokenOf,
  type Cast,
  compareShown,
  effective,
  type Person,
  type Session,
  sessionOpened,
} from './oracle.ts'
import type { Reply } from './requests.ts'

type Ask = (request: TestRequest, effect?: Effect) => Promise<Reply>

/** How an application finds a user, and the field of the search. */
export type Condition = 'role' | 'email_prefix' | 'name_prefix'

/**
 * The requests of vouched sign-ins, roles, attributes and administration. Every response is recorded, and compared with what earlier
 * ones acknowledged.
 */
export const peopleRequests = (ask: Ask, cast: Cast, book: Ledger) => {
  const post = (path: string, body: object, token: string | undefined): TestRequest => ({
    method: 'POST',
    path: `/api/v1/${path}`,
    body,
    ...(token === undefined ? {} : { token }),
  })
  const by = (name: keyof Cast['others']) => applicationTokenOf(cast, name)

  return {
    /** `claims`: the user proved the e-mail, which was not verified. Claim and session are one change. */
    vouch: async (
      person: Person,
      { remember, claims }: Readonly<{ remember: boolean; claims: boolean }>,
    ): Promise<Reply> => {
      const { id, email } = person
      person.vouched += 1
      const named = claims ? { email, email_verified: true } : { user_id: id }
      const request = post('auth/user/vouched', { ...named, method: 'fed', remember }, by('voucher'))
      const effect = { type: 'UserSignedIn', subject: id } as const
      const reply = await ask(request, claims ? { ...effect, first: 'AccountClaimed' } : effect)
      const none = `no password since ${reply.requestId}`
      if (claims) effective(person, reply, () => accountClaimed(person, none), none)
      if (reply.status === 200) sessionOpened(book, person, reply, { remember, by: 'voucher' })
      return reply
    },

    /** Refused: the e-mail is not verified, and the application does not say that it is. */
    vouchForEmail: (person: Person): Promise<Reply> =>
      ask(post('auth/user/vouched', { email: person.email, method: 'email' }, by('voucher'))),

    /** Gives the user a role, or takes it. */
    changeRole: async (person: Person, role: string): Promise<Reply> => {
      const { id } = person
      const change = person.roles.includes(role) ? { remove: [role] } : { add: [role] }
      const others = person.roles.filter((one) => one !== role)
      const roles = [...others, ...(change.add ?? [])].sort()
      const reply = await ask(post('users/roles', { user_id: id, ...change }, by('promoter')), {
        type: 'UserRolesChanged',
        subject: id,
      })
      if (reply.status === 200 && `${reply.body.roles}` !== `${roles}`)
        book.problems.push(`${reply.requestId}: ${person.email} was to have ${roles}: ${reply.body.roles}`)
      return effective(person, reply, () => {
        person.roles = roles
      })
    },

    /** Changes the name: in a session the own one, otherwise as an application. */
    rename: async (person: Person, name: string, session?: Session): Promise<Reply> => {
      const { id } = person
      const request =
        session === undefined
          ? post('users/attributes', { user_id: id, name }, by('editor'))
          : post('profile/attributes', { name }, session.token)
      const reply = await ask(request, { type: 'UserAttributesChanged', subject: id })
      return effective(person, reply, () => {
        person.name = name
      })
    },

    /** Shows a user as an administrator sees it. A removed one is unknown. */
    show: async (person: Person): Promise<Reply> => {
      const reply = await ask(post('users/show', { user_id: person.id }, by('reader')))
      const { status, has_password } = reply.body ?? {}
      if (reply.status !== 200) return reply
      compareShown(book, person, reply)
      if (status !== person.status || has_password !== person.hasPassword)
        book.problems.push(`${reply.requestId}: ${person.email} is shown as ${status}, ${has_password}`)
      return reply
    },

    /** Searches with a condition that finds the user. */
    search: async (person: Person, condition: Condition): Promise<Reply> => {
      const wanted = { role: person.roles[0], email_prefix: person.email, name_prefix: person.name }[
        condition
      ]
      const reply = await ask(post('users/search', { [condition]: wanted }, by('reader')))
      if (reply.status !== 200) return reply
      const found = reply.body.users.find(({ id }: { id: string }) => id === person.id)
      if (found === undefined) book.problems.push(`${reply.requestId}: ${wanted} finds no ${person.email}`)
      else compareShown(book, person, reply, found)
      return reply
    },
  }
}
