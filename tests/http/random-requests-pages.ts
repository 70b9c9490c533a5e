import * as fc from 'fast-check'
import { FORM_TYPE } from '../support/introspection.ts'
import { formBody } from './random-requests-forms.ts'
import type { Valid } from './random-requests-valid.ts'

/** Headers that a browser sends with a form, and others that pages judge or ignore. */
const browserHeaders: fc.Arbitrary<ReadonlyArray<string>> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant<ReadonlyArray<string>>([]), weight: 4 },
  {
    arbitrary: fc.constant<ReadonlyArray<string>>(['Sec-Fetch-Site: same-origin', 'Origin: null']),
    weight: 4,
  },
  {
    arbitrary: fc.constantFrom<ReadonlyArray<string>>(
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: none'],
      ['Sec-Fetch-Site: same-site'],
      ['Sec-Fetch-Site:'],
      ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: same-origin'],
      ['Sec-Fetch-Site: %password%'],
      ['Sec-Fetch-Site: same-origin', 'Origin: https://elsewhere.test'],
      ['Sec-Fetch-Site: same-origin', 'Referer: http://service.test/account/recovery?token=%recovery%'],
    ),
    weight: 2,
  },
)

/** A form that is too large, beside the usual forms. */
const pageForm = (fields: Readonly<Record<string, string>>): fc.Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    { arbitrary: formBody(fields), weight: 14 },
    fc.integer({ min: 16_384, max: 40_000 }).map((length) => 'x='.padEnd(length, '%password%')),
  )

/** The pages with a session take only forms of their own origin. */
const ofOwnOrigin: typeof browserHeaders = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant<ReadonlyArray<string>>(['Sec-Fetch-Site: same-origin']), weight: 6 },
  { arbitrary: browserHeaders, weight: 2 },
)

const form = (path: string, fields: Valid['fields'], headers = browserHeaders): Valid => ({
  method: 'POST',
  path,
  token: '',
  fields,
  type: FORM_TYPE,
  body: pageForm(fields),
  headers,
})

const shown = (method: string, path: string): Valid => ({ method, path, token: '', fields: {} })

/** One valid request for each page for people. */
export const PAGES: ReadonlyArray<Valid> = [
  shown('GET', '/account'),
  shown('HEAD', '/account/sign-in'),
  shown('GET', '/account/sign-in'),
  form('/account/sign-in', { email: '%email%', password: '%password%' }, ofOwnOrigin),
  ...['/account/second-factor', '/account/password', '/account/step-up', '/account/sign-out'].flatMap(
    (path) => [
      shown('GET', path),
      form(
        path,
        {
          old_password: '%password%',
          new_password: '%newPassword%',
          new_password_check: '%newPassword%',
        },
        ofOwnOrigin,
      ),
    ],
  ),
  form('/account', { step: 'end_others' }, ofOwnOrigin),
  shown('GET', '/account/register'),
  form('/account/register', { email: '%email%' }, ofOwnOrigin),
  shown('GET', '/account/remove'),
  form('/account/remove', { password: '%password%', sure: 'on' }, ofOwnOrigin),
  shown('GET', '/account/security'),
  form(
    '/account/security',
    { step: 'complete_totp', enrolment: 'e', totp: '000000', name: 'Phone' },
    ofOwnOrigin,
  ),
  shown('GET', '/account/recovery?token=%recovery%'),
  form('/account/recovery', {
    token: '%recovery%',
    new_password: '%newPassword%',
    new_password_check: '%newPassword%',
  }),
  shown('GET', '/account/email?token=%confirmation%'),
  form('/account/email', { token: '%confirmation%' }),
  shown('GET', '/account/forgotten'),
  form('/account/forgotten', { email: '%email%' }, ofOwnOrigin),
  shown('GET', '/account/change-email'),
  form('/account/change-email', { email: '%email%', password: '%password%' }, ofOwnOrigin),
  shown('GET', '/.well-known/change-password'),
]
