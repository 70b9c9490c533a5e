import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { PAGES_SCRIPT } from '../../adapters/http/pages/script.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Checks the headers of a page for people, and that it loads nothing and runs no script but that of a button for a passkey. */
export const expectStrictPage = (
  { headers, html }: Readonly<{ headers: Headers; html: string }>,
  referrer: 'no-referrer' | 'same-origin' = 'no-referrer',
): void => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  const hasButton = html.includes(' data-passkey="')
  const hasScript = hasButton || html.includes('<body data-show="')
  const ofScript = hasScript ? ` script-src ${sourceOf(PAGES_SCRIPT)};` : ''
  expect(headers).to.include({
    'content-security-policy': `default-src 'none';${ofScript} style-src ${sourceOf(style)}; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    ...STRICT_HEADERS,
    'referrer-policy': referrer,
  })
  expect(headers['permissions-policy']).to.equal(
    hasButton ? 'publickey-credentials-get=(self), publickey-credentials-create=(self)' : undefined,
  )
  expectNothingElse(headers)
  const rest = hasScript ? html.replace(`<script>${PAGES_SCRIPT}</script>`, '') : html
  expect(rest).not.to.match(/<(?:script|iframe|object|embed|base|img|meta http-equiv)| on[a-z]+=| style=/)
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Checks the headers of a response to HEAD, which has no style to compare with the policy. */
export const expectStrictHead = (headers: Headers, referrer = 'no-referrer'): void => {
  expect(headers).to.include({ ...STRICT_HEADERS, 'referrer-policy': referrer })
  expect(headers['content-security-policy']).to.match(
    /^default-src 'none';(?: script-src 'sha256-[\w+/=]+';)? style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action '(?:self|none)'; frame-ancestors 'none'$/,
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
