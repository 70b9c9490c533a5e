import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a page of this origin sent a form. Browsers say so with `Sec-Fetch-Site`. Older ones, and other clients, send only `Origin`, which must
 * then be ours.
 *
 * @param hasToken whether the form is on a page whose link has a token. Such a page sends no referrer, so its browser sends `Origin: null`
 */
export const isFromSameOrigin = (
  { 'sec-fetch-site': site, origin: sent }: IncomingHttpHeaders,
  { origin, hasToken }: Readonly<{ origin: string; hasToken: boolean }>,
): boolean => {
  const isOurs = sent === origin
  const isHidden = hasToken && (sent === undefined || sent === 'null')
  if (site === undefined) return isOurs || isHidden
  return site === 'same-origin' && (isOurs || sent === undefined || isHidden)
}
