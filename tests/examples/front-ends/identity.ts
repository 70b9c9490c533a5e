import { auth, port } from './auth.ts'

/** The URL of the front end in the browser, with which the redirect URIs begin. */
const { SITE = `http://127.0.0.1:${port}` } = process.env

/**
 * The name of the cookie of a start. With the state in it, two tabs do not overwrite each other. With the provider in it, an answer counts
 * only at the address of the provider that was asked (RFC 9700 §4.4.2).
 */
const cookieNameOf = (provider: string, { searchParams }: URL): string =>
  `__Host-start-${provider}-${searchParams.get('state')}`

/** Starts a sign-in: where to send the browser, and the cookie that binds the answer to it. */
export const startIdentity = async (provider: string) => {
  const started = await auth.startIdentitySignIn({ provider, redirectUri: `${SITE}/back/${provider}` })
  if (!started.ok) return started
  const name = cookieNameOf(provider, new URL(started.url))
  const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600'
  return { ...started, cookie: `${name}=${started.transaction}; ${attributes}` }
}

/** Completes a sign-in, with the URL at which the browser came back. Without the cookie, the service refuses the answer. */
export const completeIdentity = async (
  provider: string,
  url: string,
  cookies = '',
  endUserAddress?: string,
) => {
  const back = new URL(url, SITE)
  const beginning = `${cookieNameOf(provider, back)}=`
  const cookie = cookies.split('; ').find((one) => one.startsWith(beginning))
  const transaction = cookie?.slice(beginning.length)
  return auth.completeIdentitySignIn({ transaction, answer: back.search }, { endUserAddress })
}
