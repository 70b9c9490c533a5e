import { jwtVerify } from 'jose'

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']

/**
 * Signs in the user of an ID token that Google has issued to this product. `auth` is a client of Portcullis, `keys` are those of Google, and
 * `links` is a table of this product: the user of each account at a provider.
 */
export const signInWithGoogle = async ({ auth, keys, clientId, links }, { idToken, nonce }, more = {}) => {
  const { payload } = await jwtVerify(idToken, keys, {
    issuer: ISSUERS,
    audience: clientId, // otherwise a token of another product signs its user in
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'nonce'],
  })
  if (payload.nonce !== nonce) throw new Error('The ID token answers another request.')
  const { sub, email } = payload
  const known = await links.userOf('google', sub) // an e-mail can move to another person, a subject cannot
  if (known !== undefined) return auth.signInVouched({ userId: known, method: 'fed', ...more })
  if (payload.email_verified !== true) return REFUSED // Google has sent the text "false"
  // A user without a password has none to lose. With `emailVerified`, the owner claims an e-mail that is taken.
  const registered = await auth.registerUser({ email, withoutPassword: true, emailVerified: true })
  if (!registered.ok && registered.problems[0].reason !== 'taken') return registered
  const user = registered.ok ? { userId: registered.id } : { email, emailVerified: true }
  const signedIn = await auth.signInVouched({ ...user, method: 'fed', ...more })
  if (signedIn.ok) await links.add('google', sub, signedIn.userId)
  return signedIn
}

const REFUSED = {
  ok: false,
  problems: [
    { field: 'email', reason: 'email_not_verified', code: 0, message: 'Google has not verified it.' },
  ],
}
