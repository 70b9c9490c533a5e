/**
 * The path of a request target as sent, without query, scheme and authority (RFC 9112 §3.2). Paths are exact, so nothing is decoded
 * or normalized. A target has no fragment, so `#` is part of the path.
 */
export const pathOf = (target: string): string => {
  if (/^\/[^?#]*$/.test(target)) return target
  const [path = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').split('?')
  return path === '' ? '/' : path.replaceAll('#', '%23')
}

/** The query of a request target as sent, without the question mark. */
export const queryOf = (target: string): string => {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}
