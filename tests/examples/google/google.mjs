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
  const { sub, email, hd } = payload
  const known = await links.userOf('google', sub) // an e-mail can move to another person, a subject cannot
  if (known !== undefined) return auth.signInVouched({ userId: known, method: 'fed', ...more })
  if (payload.email_verified !== true) return REFUSED // Google has sent the text "false"
  const registered = await auth.registerUser({ email, withoutPassword: true, emailVerified: true })
  if (!registered.ok && registered.problems[0].reason !== 'taken') return registered
  // Google owns these addresses. Of others it knows who had them once, so their users sign in first, and link then.
  if (!registered.ok && !email.endsWith('@gmail.com') && hd === undefined) return TAKEN
  // With `emailVerified`, the owner claims an e-mail that another person has registered.
  const user = registered.ok ? { userId: registered.id } : { email, emailVerified: true }
  const signedIn = await auth.signInVouched({ ...user, method: 'fed', ...more })
  const link = (userId) => links.add('google', sub, userId)
  if (signedIn.ok) await link(signedIn.userId)
  return signedIn.refusal === 'second_factor' ? { ...signedIn, link } : signedIn // for after the second step
}

const refused = (reason, message) => ({
  ok: false,
  problems: [{ field: 'email', reason, code: 0, message }],
})
const REFUSED = refused('email_not_verified', 'Google has not verified it.')
const TAKEN = refused('taken', 'Sign in as before, then link your Google account.')
