import { auth } from './auth.ts'

type Session = Readonly<{ token: string; expiresIn: number; sessionExpiresIn: number }>

/**
 * The cookie of a session, which lives as long as the session. It has the user token, and when half of its life is over. No script and no
 * other host can read or set it.
 */
export const cookieOf = ({ token, expiresIn, sessionExpiresIn }: Session): string =>
  `__Host-session=${Date.now() + expiresIn * 500}.${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${sessionExpiresIn}`

/** The token in the header `Cookie`, empty without one, and whether its session should be renewed. */
const sessionIn = (cookies = ''): Readonly<{ token: string; isDue: boolean }> => {
  const [, renewAt, token = ''] = /(?:^|; )__Host-session=(\d+)\.([^;]+)/.exec(cookies) ?? []
  return { token, isDue: Date.now() > Number(renewAt) }
}

/**
 * The token of a request, empty for a guest, and the new cookie if the session was renewed: in the second half of the life of the token, and
 * after it. So a short token and a long session need one rule.
 */
export const tokenOf = async (cookies?: string): Promise<Readonly<{ token: string; cookie?: string }>> => {
  const { token, isDue } = sessionIn(cookies)
  if (token === '' || !isDue) return { token }
  const renewed = await auth.renewSession({ token })
  return renewed.ok ? { token: renewed.token, cookie: cookieOf(renewed) } : { token } // valid until it expires
}
