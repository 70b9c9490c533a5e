import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { withoutEndedLabel } from '../../../domain/session.ts'
import { oneRow } from '../records/unavailable.ts'
import type { Memory } from './contents.ts'

/** Single rows, and reads that join tables. */
export const rowsIn = ({ tables, tokenIdsByDigest }: Memory) => {
  const application = (id: string) => oneRow('applications', tables.applications.get(id))

  const user = (id: string) => oneRow('users', tables.users.get(id))

  const session = (id: string) =>
    pipe(
      E.Do,
      E.apS('session', oneRow('sessions', tables.sessions.get(id))),
      E.bind('user', ({ session: found }) => (O.isSome(found) ? user(found.value.userId) : E.right(O.none))),
      E.bind('application', ({ session: found }) =>
        O.isSome(found) ? application(found.value.applicationId) : E.right(O.none),
      ),
      E.map(({ session, user, application }) =>
        O.isSome(session) && O.isSome(user)
          ? O.some(withoutEndedLabel({ session: session.value, user: user.value, application }))
          : O.none,
      ),
    )

  const oneTimeToken = (digest: string) =>
    pipe(
      E.Do,
      E.apS(
        'token',
        oneRow('one_time_tokens', tables.one_time_tokens.get(tokenIdsByDigest.get(digest) ?? '')),
      ),
      E.bind('user', ({ token }) => (O.isSome(token) ? user(token.value.userId) : E.right(O.none))),
      E.bind('application', ({ token }) =>
        O.isSome(token) ? application(token.value.applicationId) : E.right(O.none),
      ),
      E.map(sequenceS(O.Apply)),
    )

  const factor = (id: string) =>
    pipe(
      E.Do,
      E.apS('factor', oneRow('factors', tables.factors.get(id))),
      E.bind('user', ({ factor }) => (O.isSome(factor) ? user(factor.value.userId) : E.right(O.none))),
      E.map(sequenceS(O.Apply)),
    )

  return { application, user, session, oneTimeToken, factor }
}
