import { none, some } from 'fp-ts/lib/Option.js'
import type { Fact } from '../../application/recording/facts.ts'
import type { Factor } from '../../domain/factor.ts'
import type { Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import { aFactor } from '../testkit/builders.ts'
import type { Step } from './histories.ts'

type Records = Readonly<{
  users: ReadonlyArray<User>
  sessions: ReadonlyArray<Session>
  factors: ReadonlyArray<Factor>
}>

type FactorTag =
  | 'FactorEnrolled'
  | 'RecoveryCodesGenerated'
  | 'FactorImported'
  | 'FactorRemoved'
  | 'FactorsReset'
  | 'FactorUsed'
  | 'FactorReencrypted'
  | 'FactorRenamed'

/** A factor to enrol. One that was removed has its mark; each other has none. */
const newFactor = ({ factors }: Pick<Records, 'factors'>, step: Step, { id: userId }: User): Factor => {
  const kind = step.which % 2 === 0 ? 'totp' : 'passkey'
  const returning = factors.find(
    (factor) =>
      (factor.userId === userId || kind === 'passkey') &&
      factor.kind === kind &&
      factor.removed &&
      step.amount % 2 === 1,
  )
  return {
    ...(returning ?? aFactor({ kind, mark: 0, version: 0 })),
    userId,
    name: `secret name ${step.amount}`,
    material: `secret totp ${step.amount}`,
    counter: kind === 'passkey' ? step.amount : 0,
  }
}

/** Makes each fact about factors from a step. */
export const FACTOR_FACTS: Readonly<Record<FactorTag, (records: Records, step: Step) => Fact | undefined>> = {
  // Some enrol a removed factor again.
  FactorEnrolled: (records, step) =>
    about(records.users, step, (user) => {
      const factor = { ...newFactor(records, step, user), mark: step.amount }
      return { _tag: 'FactorEnrolled', user, session: ownSession(records, user, step), factor }
    }),
  // It comes in the change that makes the user. So the user cannot have changed meanwhile.
  FactorImported: (records, step) =>
    about(
      records.users.filter(({ version }) => version === 1 && !step.stale),
      step,
      (user) => ({ _tag: 'FactorImported', factor: newFactor(records, step, user) }),
    ),
  RecoveryCodesGenerated: (records, step) =>
    about(records.users, step, (user) => {
      const id = `codes of ${user.id}`
      const former = records.factors.find((factor) => factor.id === id)
      return {
        _tag: 'RecoveryCodesGenerated',
        user,
        session: ownSession(records, user, step),
        codes: aFactor({
          id,
          userId: user.id,
          kind: 'recovery_codes',
          name: '',
          material: `secret digests ${step.amount}`,
          mark: 0,
          counter: 10,
          version: former?.version ?? 0,
        }),
      }
    }),
  FactorRemoved: (records, step) =>
    about(present(records), step, (factor) => {
      const user = records.users.find(({ id }) => id === factor.userId)
      return (
        user && {
          _tag: 'FactorRemoved',
          user,
          session: ownSession(records, user, step),
          factor,
          factors: factorsOf(user, records),
        }
      )
    }),
  FactorsReset: (records, step) =>
    about(records.users, step, (user) => ({ _tag: 'FactorsReset', user, factors: factorsOf(user, records) })),
  FactorUsed: (records, step) =>
    about(present(records), step, (factor) => {
      const user = records.users.find(({ id }) => id === factor.userId)
      if (user === undefined) return undefined
      return factor.kind !== 'recovery_codes'
        ? {
            _tag: 'FactorUsed',
            user,
            factor: {
              ...factor,
              mark: factor.mark + step.amount,
              counter: factor.counter + (factor.kind === 'passkey' ? step.amount : 0),
            },
          }
        : {
            _tag: 'FactorUsed',
            user,
            factor: {
              ...factor,
              counter: Math.max(0, factor.counter - 1),
              material: factor.counter > 1 ? `secret digests ${step.amount}` : '',
            },
          }
    }),
  FactorReencrypted: (records, step) =>
    about(
      present(records).filter(({ kind }) => kind === 'totp'),
      step,
      (factor) => ({
        _tag: 'FactorReencrypted',
        factor: { ...factor, material: `secret totp ${step.amount}` },
        keyEncryptionKeyId: `key ${step.amount}`,
      }),
    ),
  FactorRenamed: (records, step) =>
    about(
      present(records).filter(({ kind }) => kind === 'totp'),
      step,
      (factor) => ({ _tag: 'FactorRenamed', factor: { ...factor, name: `secret name ${step.amount}` } }),
    ),
}

/** The factors of a user that are not removed, as `listFactors` returns them. */
export const factorsOf = (user: User, records: Pick<Records, 'factors'>): ReadonlyArray<Factor> =>
  present(records).filter(({ userId }) => userId === user.id)

/** What an unused sign-in that waits keeps. */
export const waitingLabel = ({ amount }: Step) => (amount % 2 === 0 ? some(`secret label ${amount}`) : none)

const present = ({ factors }: Pick<Records, 'factors'>): ReadonlyArray<Factor> =>
  factors.filter(({ removed }) => !removed)

/** Some changes are made in no session. */
const ownSession = ({ sessions }: Records, user: User, { amount }: Step): Session | undefined =>
  amount % 3 === 0 ? undefined : sessions.find(({ userId }) => userId === user.id)

/** Makes a fact about the record that the step names, if there is one. */
export const about = <T>(
  records: ReadonlyArray<T>,
  { which }: Step,
  make: (record: T) => Fact | undefined,
): Fact | undefined => {
  const record = records[which % records.length]
  return record === undefined ? undefined : make(record)
}
