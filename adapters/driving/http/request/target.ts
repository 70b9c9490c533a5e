/**
 * The path of a request target (RFC 9112 §3.2) as it was sent: without the query, and of an absolute-form target without
 * scheme and authority, whatever they are. Nothing is decoded or normalized, for paths are exact. A fragment has no
 * place in a target, so `#` is one more character of the path.
 */
export const pathOf = (target: string): string => {
  const [path = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').split('?')
  return path === '' ? '/' : path.replaceAll('#', '%23')
}
