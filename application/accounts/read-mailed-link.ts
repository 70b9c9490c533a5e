import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Field } from '../../domain/field.ts'
import { linkState, type OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findPresented } from '../recording/one-time-tokens.ts'

/** What a page may show about the link that led to it. An unusable one tells nothing, whatever the reason. */
export type MailedLink =
  | Readonly<{ state: 'usable'; userId: string; email: string; application: Application }>
  | Readonly<{ state: 'done'; application: Application }>
  | Readonly<{ state: 'unusable' }>

/**
 * Reads the link of a mail, and uses nothing up: mail scanners open links too. Of a confirmation, `email` is the address to confirm: a stranger
 * at a mistyped address must not read that of the account.
 */
export type ReadMailedLink = (
  purpose: 'recovery' | 'email_confirmation',
  token: Field,
) => TE.TaskEither<StoreUnavailable, MailedLink>

export const readMailedLink =
  (
    dependencies: Readonly<{ store: Pick<Store, 'findOneTimeToken'>; clock: Clock; digests: Digests }>,
  ): ReadMailedLink =>
  (purpose, text) =>
    pipe(
      findPresented(dependencies, purpose, text),
      TE.map((presented) =>
        isNone(presented)
          ? UNUSABLE
          : linkOf(presented.value, linkState(presented.value, purpose, dependencies.clock() / 1000)),
      ),
    )

const UNUSABLE: MailedLink = { state: 'unusable' }

const linkOf = ({ token, user, application }: OneTimeTokenFacts, state: MailedLink['state']): MailedLink => {
  switch (state) {
    case 'usable': {
      const email = token.purpose === 'recovery' ? user.email : token.email
      return { state, userId: user.id, email, application }
    }
    case 'done':
      return { state, application }
    case 'unusable':
      return UNUSABLE
  }
}
