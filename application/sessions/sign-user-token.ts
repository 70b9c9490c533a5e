import { isLeft, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserTokenFormat } from '../../domain/token.ts'
import type { CurrentKeyring, Formats } from '../keys/keyring.ts'
import type { Random } from '../ports/environment.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'

/** Signs a user token, in the format that is set. All user tokens come from here. */
export type SignUserToken = (token: UserToken) => TaskEither<KeyUnusable | StoreUnavailable, string>

type UserToken = Readonly<{
  userId: string
  sessionId: string
  /** The application that signed the user in. */
  applicationId: string
  issuedAtSeconds: number
  expiresAtSeconds: number
}>

type Dependencies = Readonly<{
  formats: Pick<Formats, 'user' | 'user_jwt'>
  keyring: CurrentKeyring
  random: Random
  settings: Readonly<{ issuer: string; userTokenFormat: UserTokenFormat }>
}>

export const signUserToken =
  ({ formats, keyring, random, settings: { issuer, userTokenFormat } }: Dependencies): SignUserToken =>
  ({ userId, sessionId, applicationId, issuedAtSeconds, expiresAtSeconds }) =>
  async () => {
    const keys = await keyring()
    if (isLeft(keys)) return keys
    const { user, user_jwt } = keys.right
    const times = { iat: issuedAtSeconds, exp: expiresAtSeconds }
    const claims = { iss: issuer, sub: userId, sid: sessionId, ...times, jti: random.uuid() }
    if (userTokenFormat === 'paseto') return formats.user.sign(claims, user.signing)()
    return user_jwt === undefined
      ? left<StoreUnavailable>({ _tag: 'StoreUnavailable', reason: 'it has no key for user tokens as JWT' })
      : formats.user_jwt.sign({ ...claims, aud: issuer, client_id: applicationId }, user_jwt.signing)()
  }
