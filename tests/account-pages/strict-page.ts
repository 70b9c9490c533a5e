import { createHash } from 'node:crypto'
import { expect } from 'chai'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Checks the headers of a page for people, and that it runs no script and loads nothing. */
export const expectStrictPage = ({ headers, html }: Readonly<{ headers: Headers; html: string }>): void => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  const digest = createHash('sha256').update(style).digest('base64')
  expect(headers).to.include({
    'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    ...STRICT_HEADERS,
  })
  expectNothingElse(headers)
  expect(html).not.to.match(/<(?:script|iframe|object|embed|base|img|meta http-equiv)| on[a-z]+=| style=/)
}

/** Checks the headers of a response to HEAD, which has no style to compare with the policy. */
export const expectStrictHead = (headers: Headers): void => {
  expect(headers).to.include(STRICT_HEADERS)
  expect(headers['content-security-policy']).to.match(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action '(?:self|none)'; frame-ancestors 'none'$/,
  )
  expectNothingElse(headers)
}

const STRICT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const expectNothingElse = (headers: Headers): void => {
  expect(headers).not.to.have.any.keys('set-cookie', 'access-control-allow-origin', 'etag')
}
