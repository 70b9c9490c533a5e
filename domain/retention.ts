import type { Event, EventType } from './event.ts'

/**
 * How long the effect of an event lasts, and which fields of its data decide that:
 *
 * - `lasting`: rows follow from it, later entries refer to it, or it says who copied every password record. Its entry stays for
 *   ever.
 * - `until expiry`: it issued something that expires.
 * - `opens session`: it opened a session, which lasts until its end, renewed or not.
 * - `session`: it concerns one session, and lasts as long as the entry that opened it.
 * - `none`: it was a refusal, which changed nothing.
 */
type Deciding = {
  lasting: unknown
  'until expiry': Expiring
  'opens session': Expiring & Ending & OfSession
  session: OfSession
  none: unknown
}
type Expiring = Readonly<{ expires_at: string }>
type Ending = Readonly<{ ends_at: string }>
type OfSession = Readonly<{ session_id: string }>

type Effect = keyof Deciding

/** The effects that an event may have: its data has the fields that decide. */
type EffectOf<Type extends EventType> = {
  [One in Effect]: Extract<Event, { type: Type }>['data'] extends Deciding[One] ? One : never
}[Effect]

/** The effect of each type of event. `prunableBefore` decides from it alone. */
export const EFFECTS: { readonly [Type in EventType]: EffectOf<Type> } = {
  ApplicationRegistered: 'lasting',
  ApplicationChanged: 'lasting',
  PasskeyOriginsSet: 'lasting',
  ApplicationKeyRotated: 'lasting',
  ApplicationRevoked: 'lasting',
  ApplicationTokenIssued: 'until expiry',
  ApplicationTokenRevoked: 'lasting',
  UserRegistered: 'lasting',
  UserImported: 'lasting',
  UserDisabled: 'lasting',
  UserEnabled: 'lasting',
  UserRemoved: 'lasting',
  UsersExported: 'lasting',
  UserSignedIn: 'opens session',
  SecondFactorRequested: 'until expiry',
  SessionRenewed: 'session',
  SessionSteppedUp: 'session',
  UserSignedOut: 'session',
  OtherSessionsEnded: 'lasting',
  SessionsEnded: 'lasting',
  RecoveryStarted: 'lasting',
  EmailConfirmationStarted: 'lasting',
  EmailConfirmed: 'lasting',
  FactorEnrolled: 'lasting',
  FactorImported: 'lasting',
  FactorRemoved: 'lasting',
  FactorReencrypted: 'lasting',
  FactorRenamed: 'lasting',
  FactorUsed: 'lasting',
  FactorsReset: 'lasting',
  RecoveryCodesGenerated: 'lasting',
  PasswordChanged: 'lasting',
  PasswordSet: 'lasting',
  PasswordRecovered: 'lasting',
  PasswordRehashed: 'lasting',
  SigningKeyCreated: 'lasting',
  SigningKeyRetired: 'lasting',
  SigningKeyReencrypted: 'lasting',
  ApplicationTokenRefused: 'none',
  SignInRefused: 'none',
  SecondFactorRefused: 'none',
  PasswordChangeRefused: 'none',
  RecoveryRefused: 'none',
  RegistrationRefused: 'none',
  EmailConfirmationRefused: 'none',
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
  const isBefore = (time: string): boolean => Date.parse(time) < milliseconds

  const isOver: { readonly [One in Effect]: (data: Deciding[One]) => boolean } = {
    lasting: () => false,
    'until expiry': ({ expires_at }) => isBefore(expires_at),
    'opens session': (data) => {
      if (isBefore(data.ends_at)) return true
      lastingSessions.add(data.session_id)
      return false
    },
    session: ({ session_id }) => !lastingSessions.has(session_id),
    none: () => true,
  }

  // A foreign store may return types that this version does not know. EFFECTS says which fields the data has.
  return ({ type, data }) =>
    Object.hasOwn(EFFECTS, type) && isOver[EFFECTS[type]](data as Deciding['opens session'])
}
