import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'

/** The authenticator assurance level of NIST SP 800-63B. */
export type AssuranceLevel = 'aal1' | 'aal2'

/** What each way to authenticate proves: `amr` as in RFC 8176, `acr` as in RFC 9068 §2.2.1. */
const ASSURANCES = {
  password: { amr: ['pwd'], acr: 'aal1' },
  'password totp': { amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' },
  // RFC 8176 registers no value for it.
  'password recovery_code': { amr: ['pwd', 'recovery_code', 'mfa'], acr: 'aal2' },
  'password passkey': { amr: ['pwd', 'pop', 'user', 'mfa'], acr: 'aal2' },
  // Alone, only a passkey that verified its user is accepted.
  verified_passkey: { amr: ['pop', 'user', 'mfa'], acr: 'aal2' },
} as const satisfies Record<string, Readonly<{ amr: ReadonlyArray<string>; acr: AssuranceLevel }>>

/** With what a user was authenticated, separated by spaces. */
export type Methods = keyof typeof ASSURANCES

/** Whether a text says with what a user was authenticated. */
export const isMethods = (text: string): text is Methods => Object.hasOwn(ASSURANCES, text)

/** Returns the level of assurance that these methods reach. */
export const assuranceOf = (methods: Methods): AssuranceLevel => ASSURANCES[methods].acr

/** Whether this level, of a token or of methods, is the one that an application requires, or more. */
export const reaches = (acr: string | undefined, required: AssuranceLevel): boolean =>
  required === 'aal1' || acr === required

/** Returns these methods as values of RFC 8176. */
export const amrOf = (methods: Methods): ReadonlyArray<string> => ASSURANCES[methods].amr

/** What a session records of the last authentication of its user. */
export type Authentication = Readonly<{ methods: Methods; authenticatedAtSeconds: number }>

/** Whether a passkey alone opened the session. */
export const hasNoPassword = ({ methods }: Pick<Authentication, 'methods'>): boolean =>
  methods === 'verified_passkey'

/**
 * Returns the methods of a session after its user proved something again. A passkey leaves a session that a passkey alone opened as it is.
 * Other proofs are no proof of possession, so they end it.
 *
 * @param used as in a session that the password opened
 */
export const methodsAfter = (session: Pick<Authentication, 'methods'>, used: Methods): Methods =>
  used === 'password passkey' && hasNoPassword(session) ? 'verified_passkey' : used

/** How a user was authenticated, and how much that proves. */
export type Assurance = Readonly<{ acr: AssuranceLevel; amr: ReadonlyArray<string> }>

/** Returns the assurance of a session. */
export const sessionAssurance = ({ methods }: Pick<Authentication, 'methods'>): Assurance => ({
  acr: assuranceOf(methods),
  amr: amrOf(methods),
})

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
