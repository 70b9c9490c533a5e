import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { type Field, isPresent } from './field.ts'
import { isRpId } from './passkey-origins.ts'

/** Where pages and mails may send people back: URLs that an operator names for each application (docs/cli-applications.md). */

/** URLs that an application cannot have. `url` is the wrong one. */
export type ReturnUrlRefused = Readonly<
  { _tag: 'ReturnUrlMalformed'; url: string } | { _tag: 'TooManyReturnUrls'; most: number }
>

export const MAX_RETURN_URLS = 10
const MAX_LENGTH = 500
const MAX_LENGTH_WITH_QUERY = 2_000

/** Returns the URLs, each once, or all that is wrong with them. */
export const validateReturnUrls = (
  urls: ReadonlyArray<string>,
): E.Either<NonEmptyArray<ReturnUrlRefused>, ReadonlyArray<string>> => {
  const all = [...new Set(urls)]
  const [first, ...more] = [
    ...all.flatMap(
      (url): ReadonlyArray<ReturnUrlRefused> =>
        isWellFormed(url) ? [] : [{ _tag: 'ReturnUrlMalformed', url }],
    ),
    ...(all.length > MAX_RETURN_URLS ? [{ _tag: 'TooManyReturnUrls', most: MAX_RETURN_URLS } as const] : []),
  ]
  return first === undefined ? E.right(all) : E.left([first, ...more])
}

/** Whether a URL that a request names leads to one of these. It may have a query, and differs in nothing else. */
export const isReturnUrl = (urls: ReadonlyArray<string>, requested: string): boolean => {
  const [url = '', ...query] = requested.split('?')
  return (
    urls.includes(url) && requested.length <= MAX_LENGTH_WITH_QUERY && query.every((part) => QUERY.test(part))
  )
}

/** Returns the URL of a request if it leads to one of these. */
export const validateReturnTo = (
  requested: Field,
  urls: ReadonlyArray<string>,
): E.Either<NonEmptyArray<'ReturnToUnknown'>, Option<string>> => {
  if (!isPresent(requested)) return E.right(none)
  return isReturnUrl(urls, requested) ? E.right(some(requested)) : E.left(['ReturnToUnknown'])
}

/** Browsers read some other spellings as the same URL. They are refused, so that equal texts mean equal URLs. */
const isWellFormed = (url: string): boolean => {
  const [, scheme, host = '', port, path = ''] = FORM.exec(url) ?? []
  if (scheme === undefined || url.length > MAX_LENGTH) return false
  if (port === (scheme === 'https' ? '443' : '80') || Number(port ?? 0) > 65_535) return false
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return false
  return scheme === 'https' ? isRpId(host) : LOOPBACK.test(host)
}

const FORM = /^(https?):\/\/([^:/]+|\[::1\])(?::([1-9]\d{0,4}))?(\/[A-Za-z0-9/._~!$&'()*+,;=:@%-]*)$/

const LOOPBACK = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\])$/

/** Of RFC 3986 §3.4. A fragment would hide what the service adds. */
const QUERY = /^[A-Za-z0-9/._~!$&'()*+,;=:@%-]*$/

/** Returns URLs as rows contain them: separated by one space. */
export const returnUrlsText = (urls: ReadonlyArray<string>): string => urls.join(' ')

/** Returns the URLs in a text that `returnUrlsText` wrote. */
export const parseReturnUrls = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(' '))
