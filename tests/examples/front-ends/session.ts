/** The cookie of a session. It has the user token, and when half of its life is over. No script and no other host can read or set it. */
export const cookieOf = ({ token, expiresIn }: Readonly<{ token: string; expiresIn: number }>): string =>
  `__Host-session=${Date.now() + expiresIn * 500}.${token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${expiresIn}`

/** The token in the header `Cookie`, empty without one, and whether its session should be renewed. */
export const sessionIn = (cookies = ''): Readonly<{ token: string; isDue: boolean }> => {
  const [, renewAt, token = ''] = /(?:^|; )__Host-session=(\d+)\.([^;]+)/.exec(cookies) ?? []
  return { token, isDue: Date.now() > Number(renewAt) }
}
