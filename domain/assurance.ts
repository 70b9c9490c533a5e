import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'

/** The authenticator assurance level of NIST SP 800-63B. */
export type AssuranceLevel = 'aal1' | 'aal2'

/**
 * With what an authentication begins, as values of RFC 8176. `fed` and `vouched` are none of them. With `fed` alone, an identity provider has
 * answered this service. With `vouched`, an application says that it authenticated the user, and the service saw none of it
 * (docs/vouched-sign-in.md).
 */
const FIRST = {
  password: ['pwd'],
  identity: ['fed'],
  vouched_fed: ['vouched', 'fed'],
  vouched_email: ['vouched', 'email'],
  vouched_sms: ['vouched', 'sms'],
  vouched: ['vouched'],
} as const

/** What a second factor adds to it. RFC 8176 registers no value for `recovery_code`. */
const SECOND = {
  totp: ['otp', 'mfa'],
  recovery_code: ['recovery_code', 'mfa'],
  passkey: ['pop', 'user', 'mfa'],
} as const

/** With what an authentication begins. */
type FirstMethod = keyof typeof FIRST

/** With what an authentication begins without the password. */
export type OtherFirstMethod = Exclude<FirstMethod, 'password'>

/** What an application says that it saw. */
export type VouchedMethod = Exclude<OtherFirstMethod, 'identity'>

/** With what a second factor is proved. */
export type SecondMethod = keyof typeof SECOND

/** With what a user was authenticated, separated by a space. Alone, only a passkey that verified its user is accepted. */
export type Methods = FirstMethod | `${FirstMethod} ${SecondMethod}` | 'verified_passkey'

/** What each way to authenticate proves: `amr` as in RFC 8176, `acr` as in RFC 9068 §2.2.1. */
export const ASSURANCES = Object.fromEntries<Assurance>([
  ['verified_passkey', { acr: 'aal2', amr: SECOND.passkey }],
  ...Object.entries(FIRST).flatMap(
    ([first, amr]): ReadonlyArray<[string, Assurance]> => [
      [first, { acr: 'aal1', amr }],
      ...Object.entries(SECOND).map(([second, more]): [string, Assurance] => [
        `${first} ${second}`,
        { acr: 'aal2', amr: [...amr, ...more] },
      ]),
    ],
  ),
]) as Readonly<Record<Methods, Assurance>> // each `Methods` is made above

/** Whether a text says with what a user was authenticated. */
export const isMethods = (text: string): text is Methods => Object.hasOwn(ASSURANCES, text)

/** Returns the level of assurance that these methods reach. */
export const assuranceOf = (methods: Methods): AssuranceLevel => sessionAssurance({ methods }).acr

/** Whether this level, of a token or of methods, is the one that an application requires, or more. */
export const reaches = (acr: string | undefined, required: AssuranceLevel): boolean =>
  required === 'aal1' || acr === required

/** Returns these methods as values of RFC 8176. */
export const amrOf = (methods: Methods): ReadonlyArray<string> => sessionAssurance({ methods }).amr

/** What a session records of the last authentication of its user. */
export type Authentication = Readonly<{ methods: Methods; authenticatedAtSeconds: number }>

/** Whether a passkey alone opened the session. */
export const isPasskeyAlone = ({ methods }: Pick<Authentication, 'methods'>): boolean =>
  methods === 'verified_passkey'

/** Returns the methods of an authentication that began with the first of these, after its user proved a second factor. */
export const withSecond = ({ methods }: Pick<Authentication, 'methods'>, second: SecondMethod): Methods =>
  `${firstOf(methods)} ${second}`

/** A passkey alone stands for a password. */
const firstOf = (methods: Methods): FirstMethod =>
  FIRST_METHODS.find((first) => first === methods.split(' ')[0]) ?? 'password'

const FIRST_METHODS = Object.keys(FIRST) as ReadonlyArray<FirstMethod> // the keys of the record

/**
 * Returns the methods of a session after its user proved something again. A passkey leaves a session that a passkey alone opened as it is.
 * Other proofs are no proof of possession, so they end it. A session that an application vouched for keeps that beginning until the password
 * or an identity replaces it.
 */
export const methodsAfter = (
  session: Pick<Authentication, 'methods'>,
  used: 'password' | 'identity' | SecondMethod,
): Methods => {
  if (used === 'password' || used === 'identity') return used
  return used === 'passkey' && isPasskeyAlone(session) ? 'verified_passkey' : withSecond(session, used)
}

/**
 * Whether the word of an application is all that these values say: the service has seen no proof.
 *
 * @param amr of a token or a session
 */
export const isVouchedAlone = ({ amr }: Pick<Assurance, 'amr'>): boolean =>
  amr[0] === 'vouched' && !amr.includes('mfa')

/** How a user was authenticated, and how much that proves. */
export type Assurance = Readonly<{ acr: AssuranceLevel; amr: ReadonlyArray<string> }>

/** Returns the assurance of a session. */
export const sessionAssurance = ({ methods }: Pick<Authentication, 'methods'>): Assurance =>
  ASSURANCES[methods]

/** The claims of a user token about the authentication. `auth_time` is in seconds since the epoch. */
export type AssuranceClaims = Readonly<{ auth_time: number; acr: string; amr: ReadonlyArray<string> }>

/** Returns the claims about the authentication of a session. */
export const assuranceClaims = (session: Authentication): AssuranceClaims => ({
  auth_time: session.authenticatedAtSeconds,
  ...sessionAssurance(session),
})

/** For this time after an authentication, a session may change what protects the account. */
export const FRESH_SECONDS = 600

/**
 * Whether a token proves that its user was authenticated in the last `FRESH_SECONDS`. The session of a token may know of a later
 * authentication: that was of another token, and a stolen one must not become fresh by it. A time in the future comes from a clock that
 * was wrong, and proves nothing.
 */
export const isFresh = (
  { auth_time: at }: AssuranceClaims,
  { authenticatedAtSeconds }: Pick<Authentication, 'authenticatedAtSeconds'>,
  nowSeconds: number,
): boolean =>
  at >= authenticatedAtSeconds &&
  nowSeconds - at <= FRESH_SECONDS &&
  at - nowSeconds <= CLOCK_TOLERANCE_SECONDS

/** Returns these claims of a token, without its others. */
export const assuranceIn = ({ auth_time, acr, amr }: AssuranceClaims): AssuranceClaims => ({
  auth_time,
  acr,
  amr,
})

/** Returns the assurance of a token. */
export const tokenAssurance = ({ acr, amr }: AssuranceClaims): Assurance => ({
  acr: acr === 'aal2' ? acr : 'aal1',
  amr,
})
