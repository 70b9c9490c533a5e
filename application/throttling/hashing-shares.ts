import { isSome } from 'fp-ts/lib/Option.js'
import type { Actor } from '../../domain/event.ts'
import type { Session } from '../../domain/session.ts'
import type { HashingShare } from '../ports/password-hasher.ts'

/** The share of an application: what it signs in and registers, and the sessions that it opened. */
export const shareOfApplication = (applicationId: string): HashingShare => [applicationId]

/** The share of whoever acts. */
export const shareOfActor = (actor: Actor): HashingShare =>
  actor.kind === 'application' ? shareOfApplication(actor.id) : SHARE_OF_COMMANDS

/** The share of the application that opened the session; sessions without a known application have one together. */
export const shareOfSession = ({ applicationId }: Session): HashingShare =>
  isSome(applicationId) ? shareOfApplication(applicationId.value) : SHARE_OF_OTHERS

/** Operators, and the first run. Ids of applications are UUIDs. */
export const SHARE_OF_COMMANDS: HashingShare = ['commands']

const SHARE_OF_OTHERS: HashingShare = ['others']
