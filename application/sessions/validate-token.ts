import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import { parseScope, permittedScope } from '../../domain/application.ts'
import { assuranceIn } from '../../domain/assurance.ts'
import { isAlive } from '../../domain/session.ts'
import { ACCEPTED_PURPOSES, type AcceptedPurpose } from '../../domain/signing-key.ts'
import {
  type ApplicationTokenClaims,
  isCurrent,
  isOfIssuer,
  type UserJwtClaims,
  type UserTokenClaims,
} from '../../domain/token.ts'
import type { CurrentKeyring, Formats, Keyring } from '../keys/keyring.ts'
import type { Clock } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'

/**
 * Returns the claims and the owner of a token that is valid now. Authentication, introspection and revocation all use it.
 *
 * It accepts any string. Malformed and forged tokens are an `InvalidToken`.
 *
 * @param mayBeExpired whether a user token of a living session is valid also after its own expiry: to renew the session or to end it
 */
export type ValidateToken = (
  token: string,
  options?: Readonly<{ mayBeExpired: boolean }>,
) => TaskEither<InvalidToken | InactiveToken | StoreUnavailable, ActiveToken>

/** The claims of a valid token, and the caller that it belongs to. */
export type ActiveToken =
  | Readonly<{ kind: 'user'; claims: AnyUserTokenClaims; caller: UserCaller }>
  | Readonly<{ kind: 'application'; claims: ApplicationTokenClaims; caller: ApplicationCaller }>

/** The claims of a user token in either format. */
export type AnyUserTokenClaims = UserTokenClaims & Partial<Pick<UserJwtClaims, 'aud' | 'client_id'>>

/**
 * The token is expired or revoked, its user or application is gone, or it names a retired key.
 *
 * The secret of a retired key is erased, so the service does not verify its tokens. They are all invalid, so an attacker cannot
 * guess a valid one.
 */
export type InactiveToken = Readonly<{ _tag: 'InactiveToken' }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findTokenHolder' | 'findSession'>
  formats: Formats
  keyring: CurrentKeyring
  clock: Clock
  issuer: string
}>

/** Plain steps are measurably faster than a pipe here: every request takes this path. */
export const validateToken = (dependencies: Dependencies): ValidateToken => {
  const current = { ...dependencies, isTimely: isCurrent }
  return (token, { mayBeExpired } = NOT_EXPIRED) =>
    async () => {
      const { formats, keyring } = dependencies
      const keys = await keyring()
      if (E.isLeft(keys)) return keys
      const withTimes = mayBeExpired ? { ...dependencies, isTimely: isOfIssuer } : current
      const judged = await verifyOnce(withTimes, keys.right, token)
      if (E.isRight(judged) || judged.left._tag !== 'InvalidToken') return judged
      if (!namesUnknownKey(formats, keys.right, token)) return judged
      const newer = await keyring(AFTER_UNKNOWN_KEY)
      if (E.isLeft(newer)) return newer
      return newer.right === keys.right ? judged : verifyOnce(withTimes, newer.right, token)
    }
}

const NOT_EXPIRED = { mayBeExpired: false }

/** Whether the times of a user token are good enough. */
type WithTimes = Dependencies & Readonly<{ isTimely: typeof isCurrent }>

/**
 * Another process may have made the key in the last second: the first one of a purpose, or one that replaces a leaked key. Forged
 * tokens can cause only so many reads.
 */
const AFTER_UNKNOWN_KEY = { atMostMs: 100 }

/** The form of the token decides between PASETO and JWT, and the key that it names between the kinds of JWT. */
const verifyOnce = async (
  dependencies: WithTimes,
  keys: Keyring,
  token: string,
): Promise<E.Either<InvalidToken, never> | Validated> => {
  const { formats } = dependencies
  const user = await formats.user.verify(token, keys.user.verifying)()
  if (E.isRight(user)) return validateUserClaims(dependencies, user.right)
  if (keys.user_jwt !== undefined && namesKey(formats.user_jwt, keys.user_jwt, token)) {
    const claims = await formats.user_jwt.verify(token, keys.user_jwt.verifying)()
    return E.isRight(claims) ? validateUserClaims(dependencies, claims.right) : claims
  }
  const application = await formats.application.verify(token, keys.application.verifying)()
  if (E.isRight(application)) return validateApplicationClaims(dependencies, application.right)
  return namesInactiveKey(formats, keys, token) ? INACTIVE : application
}

type Validated = E.Either<InactiveToken | StoreUnavailable, ActiveToken>

const INACTIVE = E.left<InactiveToken>({ _tag: 'InactiveToken' })

const validateUserClaims = async (
  { store, clock, issuer, isTimely }: WithTimes,
  claims: AnyUserTokenClaims,
): Promise<Validated> => {
  if (!isTimely(claims, issuer, clock() / 1000)) return INACTIVE
  const found = await store.findSession(claims.sid)()
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return INACTIVE
  const { session, user, application } = found.right.value
  return user.id === claims.sub && isAlive(found.right.value, clock() / 1000)
    ? E.right({
        kind: 'user',
        claims,
        caller: { kind: 'user', presented: assuranceIn(claims), session, user, application },
      })
    : INACTIVE
}

const validateApplicationClaims = async (
  { store, clock, issuer }: Dependencies,
  claims: ApplicationTokenClaims,
): Promise<Validated> => {
  // The application acts for itself, so `sub` and `client_id` both name it (RFC 9068 §2.2).
  if (!isCurrent(claims, issuer, clock() / 1000) || claims.client_id !== claims.sub) return INACTIVE
  const found = await store.findTokenHolder(claims.sub, claims.jti)()
  if (E.isLeft(found)) return found
  const scope = parseScope(claims.scope)
  if (O.isNone(found.right) || O.isNone(scope)) return INACTIVE
  const { application, revocation } = found.right.value
  if (application.revoked || O.isSome(revocation)) return INACTIVE
  const permitted = permittedScope(scope.value, application)
  return E.right({
    kind: 'application',
    claims,
    caller: { kind: 'application', application, scope: permitted },
  })
}

const namesInactiveKey = (formats: Formats, keyring: Keyring, token: string): boolean =>
  ACCEPTED_PURPOSES.some((purpose) => {
    const kid = formats[purpose].keyIdOf(token)
    return O.isSome(kid) && keyring[purpose]?.inactiveKeyIds.has(kid.value) === true
  })

const namesKey = (
  format: Formats[AcceptedPurpose],
  ring: NonNullable<Keyring[AcceptedPurpose]>,
  token: string,
): boolean => {
  const kid = format.keyIdOf(token)
  return O.isSome(kid) && ring.verifying.some((key) => key.kid === kid.value)
}

/** The token has the form of a token with a key id, but the keyring has no such key. */
const namesUnknownKey = (formats: Formats, keyring: Keyring, token: string): boolean =>
  ACCEPTED_PURPOSES.some((purpose) => O.isSome(formats[purpose].keyIdOf(token))) &&
  !ACCEPTED_PURPOSES.some((purpose) => {
    const ring = keyring[purpose]
    return ring !== undefined && namesKey(formats[purpose], ring, token)
  })
