import type { AssuranceLevel } from './assurance.ts'
import type { FactorKind } from './factor.ts'
import type { MailKind } from './mail.ts'
import type { ClientKind, PkceUse } from './redirect-uris.ts'
import type {
  ApplicationTokenRefusal,
  IdentityRefusalReason,
  RefusalReason,
  SecondFactorRefusal,
  SignInRefusal,
} from './refusal-reasons.ts'
import type { KeyPurpose } from './signing-key.ts'

/** The types of the fields of events, by name. A codec of each is in `adapters/stores/records/event-codecs.ts`. */
export type FieldTypes = {
  text: string
  /** RFC 3339. */
  time: string
  integer: number
  flag: boolean
  texts: ReadonlyArray<string>
  codes: ReadonlyArray<number>
  /** In seconds; null while it is that of the service. */
  lifetime: number | null
  assurance: AssuranceLevel
  'kind of client': ClientKind
  'kind of factor': FactorKind
  'kind of mail': MailKind
  'purpose of key': KeyPurpose
  'use of PKCE': PkceUse
  'refusal of an application token': ApplicationTokenRefusal
  'refusal of a sign-in': SignInRefusal
  'refusal of a second factor': SecondFactorRefusal
  'refusal of an identity': IdentityRefusalReason
  'type of refusal': RefusalType
  'count of reasons': ReadonlyArray<Readonly<{ reason: RefusalReason; count: number }>>
  'count of subjects': ReadonlyArray<Readonly<{ id: string; count: number }>>
}

export type FieldType = keyof FieldTypes

/** The fields of an event. A name that ends with `?` is that of a field that may be absent. */
export type Fields = Readonly<Record<string, FieldType>>

/** The data of an event with these fields. No field lets the compiler reject one, as `{}` would not. */
export type DataOf<Of extends Fields> = [keyof Of] extends [never]
  ? Record<string, never>
  : Flat<
      { readonly [Name in keyof Of as Name extends `${string}?` ? never : Name]: FieldTypes[Of[Name]] } & {
        readonly [Name in keyof Of as Name extends `${infer Short}?` ? Short : never]?: FieldTypes[Of[Name]]
      }
    >

type Flat<T> = { [Name in keyof T]: T[Name] }

/** Requests that were refused. */
export const REFUSAL_TYPES = [
  'ApplicationTokenRefused',
  'SignInRefused',
  'SecondFactorRefused',
  'IdentityRefused',
  'PasswordChangeRefused',
  'RecoveryRefused',
  'RegistrationRefused',
  'EmailConfirmationRefused',
] as const

export type RefusalType = (typeof REFUSAL_TYPES)[number]

/**
 * How long the effect of an event lasts, and which fields of its data decide that:
 *
 * - `lasting`: rows follow from it, later entries refer to it, or it says who copied every password record. Its entry stays for
 *   ever.
 * - `until expiry`: it issued something that expires.
 * - `opens session`: it opened a session, which lasts until its end, renewed or not.
 * - `session`: it concerns one session, and lasts as long as the entry that opened it.
 * - `none`: it changed no row. It was a refusal, or tells what became of a mail.
 */
export type Deciding = {
  lasting: unknown
  'until expiry': Expiring
  'opens session': Expiring & Ending & OfSession
  session: OfSession
  none: unknown
}
type Expiring = Readonly<{ expires_at: string }>
type Ending = Readonly<{ ends_at: string }>
type OfSession = Readonly<{ session_id: string }>

export type Effect = keyof Deciding

/** The effects that an event may have: its data has the fields that decide. */
type EffectOf<Data> = { [One in Effect]: Data extends Deciding[One] ? One : never }[Effect]

type SubjectKind = 'application' | 'user' | 'key' | 'service'

/** What the log says of one type of event, how long that counts, and how people say it in a history that names the subject. */
export type EventRow<Kind extends SubjectKind, Of extends Fields> = Readonly<{
  subjects: ReadonlyArray<Kind>
  fields: Of
  effect: Effect
  words: string | ((data: DataOf<Of>) => string)
}>

export const event = <Kind extends SubjectKind, const Of extends Fields>(
  subject: Kind | ReadonlyArray<Kind>,
  fields: Of,
  effect: EffectOf<DataOf<Of>>,
  words: string | ((data: DataOf<Of>) => string),
): EventRow<Kind, Of> => ({
  subjects: typeof subject === 'string' ? [subject] : subject,
  fields,
  effect,
  words,
})
