import type { Actor } from '../../domain/event.ts'
import type { Session } from '../../domain/session.ts'
import type { HashingShare } from '../ports/password-hasher.ts'
import type { RequestContext } from '../recording/recorder.ts'

/** Returns the share of an application: its sign-ins and registrations, and the sessions that it opened. */
export const shareOfApplication = (applicationId: string): HashingShare => [applicationId]

/** Returns the part of an application's share that an end user's network has, if the application reported the address. */
export const shareOfEndUser = (applicationId: string, { endUserAddress }: RequestContext): HashingShare =>
  endUserAddress === undefined ? shareOfApplication(applicationId) : [applicationId, endUserAddress]

/** Returns the share of an actor: that of its application, or that of the commands. */
export const shareOfActor = (actor: Actor): HashingShare =>
  actor.kind === 'application' ? shareOfApplication(actor.id) : SHARE_OF_COMMANDS

/** Returns the share of the application that opened a session. */
export const shareOfSession = ({ applicationId }: Session): HashingShare => shareOfApplication(applicationId)

/** The share of operators and of the first run. It cannot equal an application's share, which is a UUID. */
export const SHARE_OF_COMMANDS: HashingShare = ['commands']
