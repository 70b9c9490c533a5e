/** The claims of a token of any kind and format, without verification. Times are seconds since the epoch. */
export const claimsOf = (token: string) => {
  const isPaseto = token.startsWith('v4.public.')
  const bytes = Buffer.from(token.split('.')[isPaseto ? 2 : 1] ?? '', 'base64url')
  const claims = JSON.parse((isPaseto ? bytes.subarray(0, -64) : bytes).toString())
  if (!isPaseto) return claims
  const seconds = Object.fromEntries(
    TIMES.filter((name) => name in claims).map((name) => [name, Date.parse(claims[name]) / 1000]),
  )
  return { ...claims, ...seconds }
}

/** PASETO writes them as RFC 3339. */
const TIMES = ['iat', 'exp', 'auth_time']
