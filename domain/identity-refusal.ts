/** Why the answer of an identity provider is refused. */
export const IDENTITY_REFUSALS = [
  /** The user said no there. */
  'access_denied',
  /** Another error code, or an answer of its token route that is none of the protocol. */
  'provider_error',
  'wrong_state',
  'wrong_issuer',
  /** Its signature, `alg`, `aud`, `nonce`, `exp`, `sub` or `auth_time`. */
  'invalid_id_token',
  'malformed_answer',
] as const

export type IdentityRefusal = (typeof IDENTITY_REFUSALS)[number]
