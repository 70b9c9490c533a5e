import { type OneTimeToken, type OneTimeTokenFacts, used } from '../../../domain/one-time-token.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { type HashedPassword, recovered, withConfirmedEmail } from '../../../domain/user.ts'
import {
  createExpected,
  type ExpectedRows,
  raisePasswordVersion,
  spendToken,
  unknownSubject,
  updateExpected,
} from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import { defineEvent, type EntryOf, logged, theUser } from './definition.ts'

type Started = Readonly<{ token: Unwritten<OneTimeToken> }>

const started = ({ token }: Started) =>
  logged<'RecoveryStarted' | 'EmailConfirmationStarted'>(theUser(token.userId), {
    token_id: token.id,
    expires_at: rfc3339OfSeconds(token.expiresAtSeconds),
  })

const startedRows = ({ token }: Started) => [{ table: 'one_time_tokens', row: inserted(token) }] as const

export const expectStarted =
  (purpose: OneTimeToken['purpose'], amr: ReadonlyArray<string> | undefined = undefined) =>
  (
    entry: EntryOf<'RecoveryStarted' | 'EmailConfirmationStarted' | 'SecondFactorRequested'>,
    { users, one_time_tokens, nowSeconds }: ExpectedRows,
  ): string | undefined => {
    const user = users.get(entry.subject.id)
    if (user === undefined) return unknownSubject(entry)
    const expiresAtSeconds = Date.parse(entry.data.expires_at) / 1000
    if (expiresAtSeconds <= nowSeconds) return undefined
    const token = { kind: 'one-time token', id: entry.data.token_id }
    return createExpected(one_time_tokens, token, {
      purpose,
      userId: entry.subject.id,
      amr,
      applicationId: entry.actor.kind === 'application' ? entry.actor.id : undefined,
      emailVersionAtMost: user.emailVersion,
      sessionsVersionAtMost: user.sessionsVersion,
      expiresAtSeconds,
      used: false,
      isStored: false,
      version: 1,
    })
  }

/** The revocation of its application ends a token, so no change that uses one may follow it in the log. */
const unrevoked = ({ application: { id, version } }: OneTimeTokenFacts) =>
  [{ table: 'applications', id, version }] as const

/** What happens with one-time tokens. The user and the token are written in one change, so that of two uses one wins. */
export const ONE_TIME_TOKEN_EVENTS = {
  RecoveryStarted: defineEvent<'RecoveryStarted', Started>({
    version: 1,
    event: started,
    rows: startedRows,
    expect: expectStarted('recovery'),
  }),

  EmailConfirmationStarted: defineEvent<'EmailConfirmationStarted', Started>({
    version: 1,
    event: started,
    rows: startedRows,
    expect: expectStarted('email_confirmation'),
  }),

  PasswordRecovered: defineEvent<'PasswordRecovered', OneTimeTokenFacts & { password: HashedPassword }>({
    version: 1,
    event: ({ user, token, password }, sha256) =>
      logged(theUser(user.id), {
        password_version: recovered(user, password).passwordVersion,
        password_digest: sha256(password.record),
        token_id: token.id,
      }),
    compared: unrevoked,
    rows: ({ user, token, password }) => [
      { table: 'users', row: updated(recovered(user, password)) },
      { table: 'one_time_tokens', row: updated(used(token)) },
    ],
    expect: (entry, { users, one_time_tokens }) =>
      updateExpected(users, entry, (user) => {
        user.passwordDigest = entry.data.password_digest
        user.emailVerified = true
        spendToken(one_time_tokens, entry.data.token_id)
        return raisePasswordVersion(user, entry.data.password_version)
      }),
  }),

  EmailConfirmed: defineEvent<'EmailConfirmed', OneTimeTokenFacts>({
    version: 1,
    event: ({ user, token }) =>
      logged(theUser(user.id), { token_id: token.id, changed: token.email !== user.email }),
    compared: unrevoked,
    rows: ({ user, token }) => [
      { table: 'users', row: updated(withConfirmedEmail(user, token.email)) },
      { table: 'one_time_tokens', row: updated(used(token)) },
    ],
    expect: (entry, { users, one_time_tokens }) =>
      updateExpected(users, entry, (user) => {
        user.emailVerified = true
        if (entry.data.changed) user.emailVersion += 1
        spendToken(one_time_tokens, entry.data.token_id)
        return undefined
      }),
  }),
}
