import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { amrOf } from '../../../domain/assurance.ts'
import {
  type Factor,
  type FactorKind,
  type FactorUse,
  isDue,
  isIdentity,
  removedFactor,
  withoutFactor,
} from '../../../domain/factor.ts'
import type { OneTimeToken } from '../../../domain/one-time-token.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { continued, type Session } from '../../../domain/session.ts'
import { type User, withoutProofs, withoutSessions } from '../../../domain/user.ts'
import type { Row } from '../../ports/store.ts'
import {
  type ExpectedRows,
  endAllExpected,
  enrolExpected,
  factorsOf,
  keepSession,
  raisePasswordVersion,
  removeExpected,
  unknownFactor,
  unknownSubject,
  updateExpected,
} from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import type { Expected } from '../tables.ts'
import { defineEvent, type EntryOf, logged, theUser } from './definition.ts'
import { expectStarted } from './one-time-token-events.ts'

/** A factor to write. Its version is the stored one: 0 for a new id, more for one that was removed. Its times come from the event. */
export type NewFactor = Omit<Factor, 'createdAtSeconds' | 'usedAtSeconds' | 'removed'>

/** Who changes factors. `session` makes the change and stays alive. */
type Changing = Readonly<{ user: User; session?: Session | undefined }>

/**
 * A change of factors by the user ends all sessions. The session that made it moves along. Recoveries go on: a thief of a user token
 * could otherwise end each one of the owner (docs/threat-model.md).
 */
const changingRows = ({ user, session }: Changing): ReadonlyArray<Row> => {
  const changed = withoutSessions(user)
  const own: ReadonlyArray<Row> =
    session === undefined ? [] : [{ table: 'sessions', row: updated(continued(session, changed)) }]
  return [{ table: 'users', row: updated(changed) }, ...own]
}

const changeOf = ({ user, session }: Changing) => ({
  sessions_version: withoutSessions(user).sessionsVersion,
  ...(session === undefined ? {} : { session_id: session.id }),
})

const factorRow = (factor: Factor): Row => ({ table: 'factors', row: updated(factor) })

const enrolled = (factor: NewFactor, atMilliseconds: number): Row =>
  factorRow({
    ...factor,
    createdAtSeconds: Math.floor(atMilliseconds / 1000),
    usedAtSeconds: none,
    removed: false,
  })

const counterOf = ({ kind, counter }: Pick<Factor, 'kind' | 'counter'>) =>
  kind === 'passkey' ? { counter } : {}

type Changed = Readonly<{ sessions_version: number; session_id?: string }>

/** Applies a change of factors to the user and to the session that made it. */
const expectChange = (
  entry: EntryOf<'FactorEnrolled' | 'FactorRemoved' | 'RecoveryCodesGenerated'>,
  { users, sessions }: ExpectedRows,
  change: () => string | undefined,
): string | undefined =>
  updateExpected(users, entry, (user) => {
    const { sessions_version, session_id }: Changed = entry.data
    const finding = endAllExpected(user, sessions_version)
    if (session_id !== undefined) keepSession(sessions, session_id, user)
    return change() ?? finding
  })

/**
 * What happens with second factors. The row of the user orders all changes of its factors. A change by the user ends other sessions,
 * sign-ins that wait, enrolments and e-mail confirmations. A reset also ends recoveries.
 */
export const FACTOR_EVENTS = {
  /** The password was right, or an application vouches for the user, and a second factor is due. */
  SecondFactorRequested: defineEvent<'SecondFactorRequested', { user: User; token: Unwritten<OneTimeToken> }>(
    {
      version: 1,
      event: ({ token }) =>
        logged(theUser(token.userId), {
          token_id: token.id,
          expires_at: rfc3339OfSeconds(token.expiresAtSeconds),
          ...(isSome(token.first) ? { amr: amrOf(token.first.value) } : {}),
        }),
      rows: ({ token }) => [{ table: 'one_time_tokens', row: inserted(token) }],
      expect: (entry, expected) => expectStarted('sign_in', entry.data.amr)(entry, expected),
    },
  ),

  FactorEnrolled: defineEvent<'FactorEnrolled', Changing & { factor: NewFactor }>({
    version: 1,
    event: ({ factor, ...changing }) =>
      logged(theUser(factor.userId), {
        factor_id: factor.id,
        kind: factor.kind,
        mark: factor.mark,
        ...counterOf(factor),
        ...changeOf(changing),
      }),
    rows: ({ factor, ...changing }, { atMilliseconds }) => [
      ...changingRows(changing),
      enrolled(factor, atMilliseconds),
    ],
    expect: (entry, expected) =>
      expectChange(entry, expected, () =>
        enrolExpected(expected, entry, { ...entry.data, counter: entry.data.counter ?? 0 }),
      ),
  }),

  /** The user is new, and imported in the same change. So nothing of the user can end, and the row of the user stays as it is. */
  FactorImported: defineEvent<'FactorImported', { factor: NewFactor }>({
    version: 1,
    event: ({ factor }) =>
      logged(theUser(factor.userId), {
        factor_id: factor.id,
        kind: factor.kind,
        ...counterOf(factor),
      }),
    rows: ({ factor }, { atMilliseconds }) => [enrolled(factor, atMilliseconds)],
    expect: (entry, expected) => {
      const { factor_id, kind, counter = 0 } = entry.data
      const user = expected.users.get(entry.subject.id)
      if (user === undefined) return unknownSubject(entry)
      // A passkey that was removed before keeps its mark.
      const mark = expected.factors.get(factor_id)?.mark ?? 0
      const finding = enrolExpected(expected, entry, { kind, mark, counter })
      return finding ?? (user.version === 1 ? undefined : `the user changed before factor ${factor_id}`)
    },
  }),

  /** `codes` replace the codes of the user before them. */
  RecoveryCodesGenerated: defineEvent<'RecoveryCodesGenerated', Changing & { codes: NewFactor }>({
    version: 1,
    event: ({ codes, ...changing }) =>
      logged(theUser(codes.userId), { factor_id: codes.id, count: codes.counter, ...changeOf(changing) }),
    rows: ({ codes, ...changing }, { atMilliseconds }) => [
      ...changingRows(changing),
      enrolled(codes, atMilliseconds),
    ],
    expect: (entry, expected) =>
      expectChange(entry, expected, () =>
        enrolExpected(expected, entry, { kind: 'recovery_codes', mark: 0, counter: entry.data.count }),
      ),
  }),

  /** `factors` are all of the user, with the one to remove. The last one takes the recovery codes along. */
  FactorRemoved: defineEvent<'FactorRemoved', Changing & { factor: Factor; factors: ReadonlyArray<Factor> }>({
    version: 1,
    event: ({ factor, factors: _, ...changing }) =>
      logged(theUser(factor.userId), { factor_id: factor.id, kind: factor.kind, ...changeOf(changing) }),
    rows: ({ factor, factors, ...changing }) => {
      const rest = new Set(withoutFactor(factors, factor.id))
      return [
        ...changingRows(changing),
        ...factors.filter((one) => !rest.has(one)).map((one) => factorRow(removedFactor(one))),
      ]
    },
    expect: (entry, expected) =>
      expectChange(entry, expected, () => {
        const { factor_id, kind } = entry.data
        const userId = entry.subject.id
        const finding =
          wrongKind(factor_id, expected.factors.get(factor_id), kind) ??
          removeExpected(expected, userId, [factor_id])
        const rest = factorsOf(expected, userId)
        if (!isDue(rest.map(([, factor]) => factor))) {
          const ids = rest.filter(([, factor]) => !isIdentity(factor)).map(([id]) => id)
          removeExpected(expected, userId, ids)
        }
        return finding
      }),
  }),

  /** `factors` are all of the user. An application or an operator removes them. */
  FactorsReset: defineEvent<'FactorsReset', { user: User; factors: ReadonlyArray<Factor> }>({
    version: 1,
    event: ({ user, factors }) =>
      logged(theUser(user.id), {
        factor_ids: factors.map(({ id }) => id),
        password_version: withoutProofs(user).passwordVersion,
      }),
    rows: ({ user, factors }) => [
      { table: 'users', row: updated(withoutProofs(user)) },
      ...factors.map((factor) => factorRow(removedFactor(factor))),
    ],
    expect: (entry, expected) =>
      updateExpected(expected.users, entry, (user) => {
        const { factor_ids, password_version } = entry.data
        const finding = raisePasswordVersion(user, password_version)
        return removeExpected(expected, entry.subject.id, factor_ids) ?? finding
      }),
  }),

  /** `factor` has its new mark, counter and material. `user` is its owner, as read. */
  FactorUsed: defineEvent<'FactorUsed', FactorUse & { user: User }>({
    version: 1,
    event: ({ factor, counterWentBack, backupEligible }) =>
      logged(theUser(factor.userId), {
        factor_id: factor.id,
        kind: factor.kind,
        mark: factor.mark,
        ...(factor.kind === 'recovery_codes' ? { codes_left: factor.counter } : {}),
        ...counterOf(factor),
        ...(counterWentBack === undefined ? {} : { counter_went_back: counterWentBack }),
        ...(backupEligible === undefined ? {} : { backup_eligible: backupEligible }),
      }),
    rows: ({ factor }, { atMilliseconds }) => [
      factorRow({ ...factor, usedAtSeconds: some(Math.floor(atMilliseconds / 1000)) }),
    ],
    expect: (entry, expected) =>
      updateFactor(entry, expected, (factor) => {
        factor.mark = entry.data.mark
        factor.counter = entry.data.codes_left ?? entry.data.counter ?? factor.counter
        factor.usedAtSeconds = Math.floor(Date.parse(entry.at) / 1000)
      }),
  }),

  /** `factor` has its new name. */
  FactorRenamed: defineEvent<'FactorRenamed', { factor: Factor }>({
    version: 1,
    event: ({ factor }) => logged(theUser(factor.userId), { factor_id: factor.id }),
    rows: ({ factor }) => [factorRow(factor)],
    expect: (entry, expected) => updateFactor(entry, expected, () => undefined),
  }),

  /** `factor` has the same secret, now encrypted under the key-encryption key `keyEncryptionKeyId`. */
  FactorReencrypted: defineEvent<'FactorReencrypted', { factor: Factor; keyEncryptionKeyId: string }>({
    version: 1,
    event: ({ factor, keyEncryptionKeyId }) =>
      logged(theUser(factor.userId), { factor_id: factor.id, key_encryption_key_id: keyEncryptionKeyId }),
    rows: ({ factor }) => [factorRow(factor)],
    expect: (entry, expected) => updateFactor(entry, expected, () => undefined),
  }),
}

/** Updates the factor of an entry, and counts its version up. */
const updateFactor = (
  { subject, data }: EntryOf<'FactorUsed' | 'FactorRenamed' | 'FactorReencrypted'>,
  { factors }: ExpectedRows,
  update: (factor: Expected['factors']) => void,
): string | undefined => {
  const { factor_id } = data
  const factor = factors.get(factor_id)
  if (factor === undefined || factor.userId !== subject.id) return unknownFactor(factor_id)
  factor.version += 1
  update(factor)
  if (factor.removed) return `factor ${factor_id} had been removed before`
  return 'kind' in data ? wrongKind(factor_id, factor, data.kind) : undefined
}

const wrongKind = (
  id: string,
  factor: Expected['factors'] | undefined,
  kind: FactorKind,
): string | undefined =>
  factor === undefined || factor.kind === kind
    ? undefined
    : `kind of factor ${id} is ${kind}, expected ${factor.kind}`
