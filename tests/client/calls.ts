import type { OperationId } from '../../adapters/client/call.ts'
import type { Portcullis } from '../../adapters/client/client.ts'

/** What decides on repetitions (docs/clients.md). */
export type Kind = 'read' | 'repeatable' | 'change' | 'once'

/** A secret that no error may contain. */
export const SECRET = {
  publicApiKey: 'pk_secret-public-key',
  privateApiKey: 'sk_secret-private-key',
  userToken: 'secret-user-token',
  password: 'secret-password',
  newPassword: 'secret-new-password',
  code: 'secret-code',
  oneTimeToken: 'secret-one-time-token',
} as const

type Options = Readonly<{ signal?: AbortSignal }>
type AnyResult = Readonly<{ ok: boolean }>
type Call = Readonly<{
  kind: Kind
  id: OperationId
  send: (auth: Portcullis, options?: Options) => Promise<AnyResult>
}>

const { userToken, password, newPassword, code, oneTimeToken } = SECRET

/** Operations of each kind, with each way to authenticate. */
export const CALLS: ReadonlyArray<Call> = [
  { kind: 'read', id: 'getProfile', send: (auth, options) => auth.user(userToken).getProfile(options) },
  { kind: 'read', id: 'searchUsers', send: (auth, options) => auth.searchUsers({}, options) },
  {
    kind: 'read',
    id: 'introspect',
    send: (auth, options) => auth.introspect({ token: oneTimeToken }, options),
  },
  { kind: 'read', id: 'getPasswordPolicy', send: (auth, options) => auth.getPasswordPolicy(options) },
  {
    kind: 'repeatable',
    id: 'issueOauthToken',
    send: (auth, options) => auth.issueOauthToken({}, options),
  },
  {
    kind: 'repeatable',
    id: 'revokeToken',
    send: (auth, options) => auth.revokeToken({ token: oneTimeToken }, options),
  },
  {
    kind: 'repeatable',
    id: 'renewSession',
    send: (auth, options) => auth.renewSession({ token: userToken }, options),
  },
  {
    kind: 'change',
    id: 'changePassword',
    send: (auth, options) =>
      auth
        .user(userToken)
        .changePassword({ oldPassword: password, newPassword, newPasswordCheck: newPassword }, options),
  },
  {
    kind: 'change',
    id: 'registerUser',
    send: (auth, options) => auth.registerUser({ email: 'ada@example.com', password }, options),
  },
  {
    kind: 'change',
    id: 'completeRecovery',
    send: (auth, options) =>
      auth.completeRecovery({ token: oneTimeToken, newPassword, newPasswordCheck: newPassword }, options),
  },
  { kind: 'change', id: 'signOut', send: (auth, options) => auth.user(userToken).signOut(options) },
  {
    kind: 'once',
    id: 'signIn',
    send: (auth, options) => auth.signIn({ email: 'ada@example.com', password }, options),
  },
  {
    kind: 'once',
    id: 'signInVouched',
    send: (auth, options) => auth.signInVouched({ userId: 'x', method: 'fed' }, options),
  },
  {
    kind: 'once',
    id: 'completeSignIn',
    send: (auth, options) => auth.completeSignIn({ token: oneTimeToken, totp: code }, options),
  },
  {
    kind: 'once',
    id: 'completePasskeySignIn',
    send: (auth, options) => auth.completePasskeySignIn({ credential: code }, options),
  },
]
