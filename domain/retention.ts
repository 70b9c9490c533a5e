import type { Event, EventType } from './event.ts'

/**
 * How long the effect of an event lasts:
 *
 * - `lasting`: rows follow from it, or later entries refer to it. Its entry stays for ever.
 * - `until expiry`: it opened or issued something that expires.
 * - `session`: it concerns one session, and lasts as long as the sign-in.
 * - `none`: it was a refusal, which changed nothing.
 */
export type Effect = 'lasting' | 'until expiry' | 'session' | 'none'

const EFFECTS: Readonly<Record<EventType, Effect>> = {
  ApplicationRegistered: 'lasting',
  ApplicationKeyRotated: 'lasting',
  ApplicationRevoked: 'lasting',
  ApplicationTokenIssued: 'until expiry',
  ApplicationTokenRevoked: 'lasting',
  UserRegistered: 'lasting',
  UserImported: 'lasting',
  UserDisabled: 'lasting',
  UserEnabled: 'lasting',
  UserRemoved: 'lasting',
  UserSignedIn: 'until expiry',
  UserSignedOut: 'session',
  OtherSessionsEnded: 'lasting',
  SessionsEnded: 'lasting',
  RecoveryStarted: 'lasting',
  EmailConfirmationStarted: 'lasting',
  EmailConfirmed: 'lasting',
  PasswordChanged: 'lasting',
  PasswordSet: 'lasting',
  PasswordRecovered: 'lasting',
  PasswordRehashed: 'lasting',
  SigningKeyCreated: 'lasting',
  SigningKeyRetired: 'lasting',
  SigningKeyReencrypted: 'lasting',
  ApplicationTokenRefused: 'none',
  SignInRefused: 'none',
  PasswordChangeRefused: 'none',
  RecoveryRefused: 'none',
  RefusalsSummarized: 'none',
  LogRenewed: 'lasting',
  LogPruned: 'lasting',
}

/** The types of which entries may be pruned. The triggers of the stores list the same. */
export const PRUNABLE_TYPES: ReadonlyArray<EventType> = (Object.keys(EFFECTS) as Array<EventType>).filter(
  (type) => EFFECTS[type] !== 'lasting',
)

/** Whether the entry of an event may be pruned. */
export type Prunable = (event: Event) => boolean

/**
 * Returns which entries of a log had no effect any more at a time, so that all rows follow from the others. It follows from the log
 * alone, so everyone can repeat it.
 *
 * Ask it for each entry in the order of the log, from the first one. Pruned entries may be left out: a session without a sign-in has
 * expired.
 */
export const prunableBefore = (milliseconds: number): Prunable => {
  const lastingSessions = new Set<string>()

  return (event) => {
    switch (event.type) {
      case 'ApplicationTokenIssued':
        return hasExpired(event.data, milliseconds)
      case 'UserSignedIn': {
        const isOver = hasExpired(event.data, milliseconds)
        if (!isOver) lastingSessions.add(event.data.session_id)
        return isOver
      }
      case 'UserSignedOut':
        return !lastingSessions.has(event.data.session_id)
      default:
        return EFFECTS[event.type] === 'none'
    }
  }
}

const hasExpired = ({ expires_at }: Readonly<{ expires_at: string }>, milliseconds: number): boolean =>
  Date.parse(expires_at) < milliseconds
