import { isLeft, left } from 'fp-ts/lib/Either.js'
import { map, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AssuranceClaims } from '../../domain/assurance.ts'
import { rolesClaim } from '../../domain/roles.ts'
import { tokenEnd } from '../../domain/signing-key.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import type { User } from '../../domain/user.ts'
import type { Random } from '../ports/environment.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { CurrentKeyring, Formats } from './keyring.ts'

/** Signs a user token, in the format that is set if the caller names none. All user tokens come from here. */
export type SignUserToken = (token: UserToken) => TaskEither<KeyUnusable | StoreUnavailable, SignedUserToken>

export type SignedUserToken = Readonly<{ token: string; expiresAtSeconds: number }>

type UserToken = Readonly<{
  user: Pick<User, 'id' | 'roles'>
  sessionId: string
  /** The application that signed the user in. */
  applicationId: string
  assurance: AssuranceClaims
  issuedAtSeconds: number
  /** The token ends earlier if its key does. */
  lifetimeSeconds: number
  /** An OpenID provider gives JWTs, whatever is set. */
  format?: UserTokenFormat
}>

type Dependencies = Readonly<{
  formats: Pick<Formats, 'user' | 'user_jwt'>
  keyring: CurrentKeyring
  random: Random
  settings: Readonly<{ issuer: string; userTokenFormat: UserTokenFormat }>
}>

export const signUserToken =
  ({ formats, keyring, random, settings: { issuer, userTokenFormat } }: Dependencies): SignUserToken =>
  ({
    user: owner,
    sessionId,
    applicationId,
    assurance,
    issuedAtSeconds: iat,
    lifetimeSeconds,
    format = userTokenFormat,
  }) =>
  async () => {
    const keys = await keyring()
    if (isLeft(keys)) return keys
    const { user, user_jwt } = keys.right
    const isPaseto = format === 'paseto'
    const signing = isPaseto ? user.signing : user_jwt?.signing
    if (signing === undefined)
      return left<StoreUnavailable>({
        _tag: 'StoreUnavailable',
        reason: 'it has no key for user tokens as JWT',
      })
    const exp = tokenEnd(signing, iat, lifetimeSeconds)
    const claims = {
      iss: issuer,
      sub: owner.id,
      sid: sessionId,
      iat,
      exp,
      jti: random.uuid(),
      ...assurance,
      ...rolesClaim(owner),
    }
    const token = isPaseto
      ? formats.user.sign(claims, signing)
      : formats.user_jwt.sign({ ...claims, aud: issuer, client_id: applicationId }, signing)
    return map((signed: string) => ({ token: signed, expiresAtSeconds: exp }))(token)()
  }
