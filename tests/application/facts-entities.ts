import { none, some } from 'fp-ts/lib/Option.js'
import type { NewSession, NewUser, Unwritten } from '../../application/recording/facts.ts'
import type { Application } from '../../domain/application.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { User } from '../../domain/user.ts'

/** What the expected facts are about. */

export const ADA: User = {
  id: 'ada',
  email: 'Ada@Example.com',
  emailVerified: false,
  emailVersion: 2,
  passwordRecord: 'old record',
  passwordScheme: 'old scheme',
  passwordVersion: 3,
  status: 'enabled',
  createdAtSeconds: some(1_600_000_000),
  version: 7,
}
export const NEW_SESSION: NewSession = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 3,
  expiresAtSeconds: 1_800_000_000,
  endsAtSeconds: some(1_900_000_000),
  label: some('Firefox on Linux'),
  methods: some('password'),
  authenticatedAtSeconds: some(1_690_000_000),
  signedOut: false,
}
/** Opened earlier, by another application than the one that acts now. */
export const SESSION: Session = {
  ...NEW_SESSION,
  createdAtSeconds: some(1_700_000_000),
  renewedAtSeconds: some(1_750_000_000),
  applicationId: some('another shop'),
  version: 2,
}
export const SHOP: Unwritten<Application> = {
  id: 'shop',
  name: 'The shop',
  scope: ['users:sign_in', 'users:register'],
  keyId: 'key',
  keyDigest: 'secret digest',
  previousKey: none,
  lifetimes: { userTokenTtlSeconds: none, sessionTtlSeconds: some(86_400) },
  requiredAssurance: 'aal2',
  passkeyOrigins: ['https://shop.example'],
  revoked: false,
}
export const TOKEN: OneTimeToken = {
  id: 'token',
  purpose: 'email_confirmation',
  digest: 'secret token digest',
  userId: 'ada',
  applicationId: 'shop',
  passwordVersion: 3,
  emailVersion: some(2),
  emailOnRecord: 'Ada@Example.com',
  email: 'new@example.com',
  label: none,
  expiresAtSeconds: 1_800_000_000,
  used: false,
  version: 1,
}
export const USED_TOKEN: OneTimeToken = { ...TOKEN, emailOnRecord: '', email: '', used: true, version: 2 }
export const GRACE: NewUser = {
  id: 'grace',
  email: 'Grace@Example.com',
  emailVerified: false,
  emailVersion: 1,
  passwordRecord: 'first record',
  passwordScheme: 'first scheme',
  passwordVersion: 1,
  status: 'enabled',
}
export const KEY: Unwritten<SigningKey> = {
  id: 'user-1',
  kid: 'kid',
  purpose: 'user',
  material: 'secret',
  createdAtSeconds: 5,
  signsFromSeconds: 605,
  retiresAtSeconds: none,
  retired: false,
}
/** A key that was already rotated. */
export const OLD_SHOP: Application = {
  ...SHOP,
  previousKey: some({ id: 'first key', digest: 'first secret digest', untilSeconds: 1 }),
  version: 4,
}
export const OLD_KEY: SigningKey = {
  ...KEY,
  id: 'user-0',
  kid: 'old kid',
  retiresAtSeconds: some(1_800_000_000),
  version: 3,
}
