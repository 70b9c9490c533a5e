import * as fc from 'fast-check'
import { fromNullable, isSome, none, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Store } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import type { Fact } from '../../application/recording/facts.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { Application } from '../../domain/application.ts'
import type { Actor, EventType } from '../../domain/event.ts'
import type { OneTimeToken, OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import { isAlive, type Session, type SessionFacts } from '../../domain/session.ts'
import { retiringAt } from '../../domain/signing-key.ts'
import { OPERATOR } from '../support/operator.ts'
import { aKey, aOneTimeToken, aSession, aUser } from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { APPLICATION_FACTS } from './application-histories.ts'
import { about, FACTOR_FACTS, factorsOf, waitingLabel } from './factor-histories.ts'
import { countingRandom, type SettableClock } from './fakes.ts'
import { type Records, recordsOf } from './records.ts'
import { CONTEXT } from './world.ts'

/** Its data depends on the length of the log. So no history contains it, and other tests check it. */
export const isOfStores = (type: EventType): boolean => type === 'LogRenewed' || type === 'LogPruned'

/** One step of a history: the attempt, its record, its amount, and whether its facts are stale. */
export type Step = Readonly<{ what: EventType; which: number; amount: number; stale: boolean }>

/** Events without rows act on no record. So their samples happen. */
const SAMPLES = everyEvent().filter(({ event, rows }) => rows.length === 0 && !isOfStores(event.type))

/** Makes each fact with rows from a step. It is none without a record to act on. */
const FACTS: Readonly<
  Partial<Record<EventType, (records: Records, step: Step, nowSeconds: number) => Fact | undefined>>
> = {
  ...APPLICATION_FACTS,
  // Only a few addresses, so that some are taken.
  UserRegistered: (_, { which, amount }) => ({
    _tag: 'UserRegistered',
    user: aUser({ email: `u${which % 7}@example.com`, passwordRecord: `secret record ${amount}` }),
  }),
  UserImported: (_, { which, amount }, now) => ({
    _tag: 'UserImported',
    user: aUser({
      email: `u${which % 7}@example.com`,
      passwordRecord: `secret import ${amount}`,
      emailVerified: amount % 2 === 0,
    }),
    createdAtSeconds: now - amount,
  }),
  ...FACTOR_FACTS,
  SessionsEnded: ({ users }, step) => about(users, step, (user) => ({ _tag: 'SessionsEnded', user })),
  RecoveryStarted: (records, step, now) => startedFor('recovery', records, step, now),
  EmailConfirmationStarted: (records, step, now) => startedFor('email_confirmation', records, step, now),
  SecondFactorRequested: (records, step, now) => startedFor('sign_in', records, step, now),
  PasswordRecovered: (records, step) =>
    about(records.one_time_tokens.filter(isMailed), step, (token) => {
      const facts = factsOf(token, records)
      return (
        facts && {
          _tag: 'PasswordRecovered',
          ...facts,
          password: { record: `secret recovery ${step.amount}`, scheme: 'tests' },
        }
      )
    }),
  EmailConfirmed: (records, step) =>
    about(
      records.one_time_tokens.filter((token) => isMailed(token) && !token.used),
      step,
      (token) => {
        const facts = factsOf(token, records)
        return facts && facts.user.status !== 'removed' ? { _tag: 'EmailConfirmed', ...facts } : undefined
      },
    ),
  // Some sign in under a previous password.
  UserSignedIn: ({ users, one_time_tokens }, step, now) =>
    about(users, step, (user) => ({
      _tag: 'UserSignedIn',
      token: one_time_tokens.find((one) => !isMailed(one) && !one.used && one.userId === user.id),
      session: aSession({
        userId: user.id,
        passwordVersion: Math.max(1, user.passwordVersion - (step.amount % 2)),
        sessionsVersion: Math.max(1, user.sessionsVersion - (step.amount % 3)),
        expiresAtSeconds: now + step.amount,
        endsAtSeconds: now + 3 * step.amount,
        remembered: step.amount % 2 === 0,
        browserId: step.amount % 5 === 0 ? some(`browser ${step.amount}`) : none,
        label: step.amount % 3 === 0 ? some(`secret label ${step.amount}`) : none,
      }),
    })),
  SessionRenewed: (records, step, now) =>
    about(liveFacts(records, now), step, ({ session, user, application }) =>
      isSome(application)
        ? {
            _tag: 'SessionRenewed',
            session,
            user,
            application: application.value,
            expiresAtSeconds: Math.min(session.endsAtSeconds, session.expiresAtSeconds + step.amount),
          }
        : undefined,
    ),
  SessionSteppedUp: (records, step, now) =>
    about(liveFacts(records, now), step, ({ session, user, application }) =>
      isSome(application)
        ? {
            _tag: 'SessionSteppedUp',
            session,
            user,
            application: application.value,
            methods: step.amount % 2 === 0 ? 'password' : 'password totp',
            authenticatedAtSeconds: now,
          }
        : undefined,
    ),
  UserSignedOut: ({ sessions }, step) =>
    about(sessions, step, (session) => ({ _tag: 'UserSignedOut', session })),
  OtherSessionsEnded: ({ sessions, users }, step) =>
    about(sessions, step, (session) => {
      const user = users.find(({ id }) => id === session.userId)
      return user && { _tag: 'OtherSessionsEnded', user, session }
    }),
  PasswordChanged: ({ sessions, users }, step) =>
    about(sessions, step, (session) => {
      const user = users.find(({ id }) => id === session.userId)
      return (
        user && {
          _tag: 'PasswordChanged',
          user,
          session,
          password: { record: `secret change ${step.amount}`, scheme: 'tests' },
        }
      )
    }),
  UserDisabled: ({ users }, step) => about(users, step, (user) => ({ _tag: 'UserDisabled', user })),
  UserAttributesChanged: ({ users }, step) =>
    about(
      users.filter(({ status }) => status !== 'removed'),
      step,
      (user) => ({
        _tag: 'UserAttributesChanged',
        user,
        attributes: { name: `secret name ${step.amount}`, metadata: { size: step.amount } },
      }),
    ),
  UserRolesChanged: ({ users }, step) =>
    about(users, step, (user) => ({
      _tag: 'UserRolesChanged',
      user,
      roles: step.amount % 3 === 0 ? [] : [`role-${step.amount}`],
    })),
  UserEnabled: ({ users }, step) => about(users, step, (user) => ({ _tag: 'UserEnabled', user })),
  UserRemoved: ({ users, factors }, step) =>
    about(users, step, (user) => ({
      _tag: 'UserRemoved',
      user,
      factors: factorsOf(user, { factors }),
    })),
  AccountClaimed: ({ users }, step) =>
    about(
      users.filter(({ status }) => status === 'enabled'),
      step,
      (user) => ({ _tag: 'AccountClaimed', user }),
    ),
  PasswordSet: ({ users }, step) =>
    about(users, step, (user) => ({
      _tag: 'PasswordSet',
      user,
      password: { record: `secret set ${step.amount}`, scheme: 'tests' },
    })),
  PasswordRehashed: ({ users }, step) =>
    about(users, step, (user) => ({
      _tag: 'PasswordRehashed',
      user,
      password: { record: `secret rehash ${step.amount}`, scheme: 'tests' },
    })),
  SigningKeyCreated: ({ keys }, { which, amount }, now) => ({
    _tag: 'SigningKeyCreated',
    key: aKey({
      purpose: which % 2 ? 'user' : 'application',
      createdAtSeconds: now,
      signsFromSeconds: now + amount,
    }),
    superseded: keys.filter(({ retired }) => !retired).map((key) => retiringAt(key, now + amount)),
  }),
  SigningKeyRetired: ({ keys }, step) => about(keys, step, (key) => ({ _tag: 'SigningKeyRetired', key })),
  SigningKeyReencrypted: ({ keys }, step) =>
    about(
      keys.filter(({ retired }) => !retired),
      step,
      (key) => ({
        _tag: 'SigningKeyReencrypted',
        key,
        material: `secret wrapping ${step.amount}`,
        keyEncryptionKeyId: `${step.amount}`,
      }),
    ),
}

const startedFor = (
  purpose: OneTimeToken['purpose'],
  { users, applications }: Records,
  step: Step,
  nowSeconds: number,
): Fact | undefined =>
  about(users, step, (user) => {
    const { id, emailVersion, passwordVersion, sessionsVersion } = user
    const token = aOneTimeToken({
      purpose,
      userId: id,
      applicationId: applications[0]?.id ?? 'shop',
      passwordVersion,
      sessionsVersion,
      emailVersion,
      email: purpose === 'sign_in' ? '' : `u${step.amount % 7}@example.com`,
      label: purpose === 'sign_in' ? waitingLabel(step) : none,
      first: purpose === 'sign_in' && step.amount % 2 === 0 ? some('vouched_sms') : none,
      expiresAtSeconds: nowSeconds + step.amount,
    })
    return { _tag: STARTS[purpose], user, token }
  })

/** What the start of each purpose is called. */
const STARTS = {
  recovery: 'RecoveryStarted',
  email_confirmation: 'EmailConfirmationStarted',
  sign_in: 'SecondFactorRequested',
} as const satisfies Record<OneTimeToken['purpose'], Fact['_tag']>

const isMailed = ({ purpose }: OneTimeToken): boolean => purpose !== 'sign_in'

const sessionFactsOf = (session: Session, { users, applications }: Records): ReadonlyArray<SessionFacts> => {
  const user = users.find(({ id }) => id === session.userId)
  const application = fromNullable(applications.find(({ id }) => id === session.applicationId))
  return user === undefined ? [] : [{ session, user, application }]
}

const liveFacts = (records: Records, now: number): ReadonlyArray<SessionFacts> =>
  records.sessions
    .flatMap((session) => sessionFactsOf(session, records))
    .filter((facts) => isAlive(facts, now))

const factsOf = (token: OneTimeToken, { users, applications }: Records): OneTimeTokenFacts | undefined => {
  const user = users.find(({ id }) => id === token.userId)
  const application = applications.find(({ id }) => id === token.applicationId)
  return user && application && { token, user, application }
}

/** Any history. Registrations are frequent, because the other steps need accounts, and so are steps that seldom find their records. */
export const histories = fc.array(
  fc.record<Step>({
    what: fc.oneof(
      fc.constantFrom<EventType>('UserRegistered', 'UserSignedIn', 'PasswordChanged'),
      fc.constantFrom<EventType>('EmailConfirmed', 'PasswordRecovered', 'SessionRenewed', 'SessionSteppedUp'),
      fc.constantFrom(...EVENT_TYPES.filter((type) => !isOfStores(type))),
    ),
    which: fc.nat({ max: 20 }),
    amount: fc.integer({ min: 1, max: 90 }),
    stale: fc.boolean(),
  }),
  { maxLength: 60, size: 'max' }, // by default most histories have ten steps
)

/** Plays a history on a store, ten seconds a step. Steps with a conflict or a taken e-mail change nothing. */
export const play = async (
  store: Store,
  clock: SettableClock,
  history: ReadonlyArray<Step>,
): Promise<void> => {
  const record = recorder({ store, clock: clock.read, random: countingRandom(), digests: nodeDigests })
  let before: Records | undefined
  for (const step of history) {
    const now: Records = await recordsOf(store)
    const records: Records = step.stale && before !== undefined ? before : now
    const fact =
      FACTS[step.what]?.(records, step, Math.floor(clock.read() / 1000)) ??
      SAMPLES.find(({ event }) => event.type === step.what)?.fact
    if (fact !== undefined) await record([fact], actorOf(fact, records.applications[0]), CONTEXT)()
    clock.passSeconds(10)
    // No user is seen without its imported factors: they come in the change that makes it.
    before = step.what === 'FactorImported' ? undefined : now
  }
}

/** Applications start what one-time tokens end, and sign users in. The log names them. */
export const actorOf = (fact: Fact, application?: Application): Actor => {
  if ('token' in fact && fact.token !== undefined && 'purpose' in fact.token)
    return { kind: 'application', id: fact.token.applicationId }
  return fact._tag === 'UserSignedIn' && application !== undefined
    ? { kind: 'application', id: application.id }
    : OPERATOR
}
