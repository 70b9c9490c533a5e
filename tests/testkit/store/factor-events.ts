import { some } from 'fp-ts/lib/Option.js'
import type { Row } from '../../../application/ports/store.ts'
import type { Fact } from '../../../application/recording/facts.ts'
import type { Factor } from '../../../domain/factor.ts'
import { AT_SECONDS, aFactor, aSession, aUser, enrolled, registered, signedIn } from '../builders.ts'
import { aChangedUser, type CasesOf } from './event-case.ts'

/** The events of second factors. */
export const factorEvents = (): CasesOf<
  | 'FactorEnrolled'
  | 'FactorImported'
  | 'FactorRemoved'
  | 'FactorReencrypted'
  | 'FactorRenamed'
  | 'FactorUsed'
  | 'FactorsReset'
  | 'RecoveryCodesGenerated'
> => {
  const [{ user, before: changes }, fresh] = [aChangedUser(), aUser()]
  const subject = { kind: 'user', id: user.id } as const
  const session = aSession({ userId: user.id, passwordVersion: 2 })
  const factor = aFactor({ userId: user.id })
  const codes = aFactor({ userId: user.id, kind: 'recovery_codes', name: '', mark: 0, counter: 10 })
  const before = [...changes, signedIn(session)]
  /** User and session after so many changes of factors. */
  const changed = (times: number) =>
    ({
      user: { ...user, sessionsVersion: 1 + times, allEndedVersion: 1 + times, version: 3 + times },
      session: { ...session, sessionsVersion: 1 + times, version: 1 + times },
    }) as const
  const changedRows = (times: number): ReadonlyArray<Row> => [
    { table: 'users', row: changed(times).user },
    { table: 'sessions', row: changed(times).session },
  ]
  const row = (one: Factor): Row => ({ table: 'factors', row: one })
  const removed = (one: Factor) => row({ ...one, name: '', material: '', removed: true, version: 2 })
  const withFactor = [...before, enrolled(factor, user, session)]
  const generated = (times: number): Fact => ({
    _tag: 'RecoveryCodesGenerated',
    ...changed(times),
    codes: { ...codes, version: 0 },
  })
  const imported = { ...factor, userId: fresh.id, mark: 0 }
  const renamed = { ...factor, name: 'phone' }
  const wrapped = { ...factor, material: 'wrapped.v1$2027$c2VjcmV0' }
  const used = { ...codes, material: 'wrapped.v1$2026$bGVmdA', counter: 9 }
  return {
    FactorEnrolled: {
      before,
      fact: enrolled({ ...factor, ...NO_TIMES }, user, session),
      event: {
        type: 'FactorEnrolled',
        version: 1,
        subject,
        data: {
          factor_id: factor.id,
          kind: 'totp',
          mark: factor.mark,
          sessions_version: 2,
          session_id: session.id,
        },
      },
      rows: [...changedRows(1), row(factor)],
    },
    FactorImported: {
      before: [registered(fresh)],
      fact: { _tag: 'FactorImported', factor: { ...imported, ...NO_TIMES } },
      event: {
        type: 'FactorImported',
        version: 1,
        subject: { kind: 'user', id: fresh.id },
        data: { factor_id: factor.id, kind: 'totp' },
      },
      rows: [row(imported)],
    },
    RecoveryCodesGenerated: {
      before,
      fact: generated(0),
      event: {
        type: 'RecoveryCodesGenerated',
        version: 1,
        subject,
        data: { factor_id: codes.id, count: 10, sessions_version: 2, session_id: session.id },
      },
      rows: [...changedRows(1), row(codes)],
    },
    FactorRemoved: {
      before: [...withFactor, generated(1)],
      fact: { _tag: 'FactorRemoved', ...changed(2), factor, factors: [codes, factor] },
      event: {
        type: 'FactorRemoved',
        version: 1,
        subject,
        data: { factor_id: factor.id, kind: 'totp', sessions_version: 4, session_id: session.id },
      },
      rows: [...changedRows(3), removed(codes), removed(factor)],
    },
    FactorRenamed: {
      before: withFactor,
      fact: { _tag: 'FactorRenamed', factor: renamed },
      event: { type: 'FactorRenamed', version: 1, subject, data: { factor_id: factor.id } },
      rows: [row({ ...renamed, version: 2 })],
    },
    FactorReencrypted: {
      before: withFactor,
      fact: { _tag: 'FactorReencrypted', factor: wrapped, keyEncryptionKeyId: '2027' },
      event: {
        type: 'FactorReencrypted',
        version: 1,
        subject,
        data: { factor_id: factor.id, key_encryption_key_id: '2027' },
      },
      rows: [row({ ...wrapped, version: 2 })],
    },
    FactorUsed: {
      before: [...before, generated(0)],
      fact: { _tag: 'FactorUsed', user, factor: used },
      event: {
        type: 'FactorUsed',
        version: 1,
        subject,
        data: { factor_id: codes.id, kind: 'recovery_codes', mark: 0, codes_left: 9 },
      },
      rows: [row({ ...used, usedAtSeconds: some(AT_SECONDS), version: 2 })],
    },
    FactorsReset: {
      before: [...withFactor, generated(1)],
      fact: { _tag: 'FactorsReset', user: changed(2).user, factors: [codes, factor] },
      event: {
        type: 'FactorsReset',
        version: 1,
        subject,
        data: { factor_ids: [codes.id, factor.id], password_version: 3 },
      },
      rows: [
        { table: 'users', row: { ...changed(2).user, passwordVersion: 3, version: 6 } },
        removed(codes),
        removed(factor),
      ],
    },
  }
}

/** The entry says when a new factor was made. */
const NO_TIMES = { createdAtSeconds: 0, usedAtSeconds: some(1), removed: true, version: 0 } as const
