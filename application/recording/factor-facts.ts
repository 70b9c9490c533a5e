import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Application } from '../../domain/application.ts'
import type { Methods } from '../../domain/assurance.ts'
import { continued, type Session } from '../../domain/session.ts'
import { type User, withoutSessions } from '../../domain/user.ts'
import type { Fact, NewFactor } from './facts.ts'
import { updated } from './row-versions.ts'

/** A factor to enrol. */
export type Enrolment = Readonly<{
  /** As read, as `own` is. */
  user: User
  factor: NewFactor
  /** The recovery codes, if it is the first factor. */
  codes?: NewFactor | undefined
  /** The session that enrols it, and the methods that it has from then on. */
  own: Readonly<{
    session: Session
    application: Application
    methods: Methods
    authenticatedAtSeconds: number
  }>
}>

/**
 * Returns the facts of an enrolment, for one change. Each change of factors raises the sessions version, so the next fact takes the user and
 * the session as the one before it leaves them. The step-up compares the user as it was read.
 */
export const enrolmentFacts = ({ user, factor, codes, own }: Enrolment): NonEmptyArray<Fact> => {
  const raised = updated(withoutSessions(user))
  const changes = codes === undefined ? 1 : 2
  const facts: NonEmptyArray<Fact> = [{ _tag: 'FactorEnrolled', user, session: own.session, factor }]
  if (codes !== undefined) {
    const session = moved(own.session, raised, 1)
    facts.push({ _tag: 'RecoveryCodesGenerated', user: raised, session, codes })
  }
  const { application, methods, authenticatedAtSeconds } = own
  const last = codes === undefined ? raised : withoutSessions(raised)
  const session = moved(own.session, last, changes)
  facts.push({ _tag: 'SessionSteppedUp', session, user, application, methods, authenticatedAtSeconds })
  return facts
}

/** The session after so many changes that it has made. */
const moved = (session: Session, user: User, changes: number): Session => ({
  ...continued(session, user),
  version: session.version + changes,
})
