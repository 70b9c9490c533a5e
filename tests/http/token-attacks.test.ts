import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import {
  base64url,
  bytesOf,
  forgeJws,
  forgeJwt,
  forgePaseto,
  halvesOf,
  jwtHeader,
  pasetoFooter,
} from '../tokens/forge.ts'
import { type Attack, onUserJwts, underAttack } from '../tokens/target.ts'
import { wellSigned, writtenClaims } from '../tokens/well-signed.ts'

const ROUTES = [
  'POST /api/v1/auth/user/token',
  'DELETE /api/v1/auth/user/token',
  'POST /api/v1/users',
  'GET /api/v1/profile',
  'POST /api/v1/profile',
  'GET /api/v1/profile/change_password',
  'POST /api/v1/profile/change_password',
  'GET /api/v1/profile/sessions',
  'POST /api/v1/profile/sessions/end',
  'POST /api/v1/profile/sessions/end_others',
  'POST /api/v1/profile/step_up',
  'GET /api/v1/profile/factors',
  'POST /api/v1/profile/factors/rename',
  'POST /api/v1/profile/factors/remove',
  'POST /api/v1/profile/factors/recovery_codes',
  'POST /api/v1/profile/remove',
  'POST /api/v1/users/search',
  'POST /api/v1/users/disable',
  'POST /api/v1/users/enable',
  'POST /api/v1/users/remove',
  'POST /api/v1/users/end_sessions',
  'POST /api/v1/users/reset_factors',
  'POST /api/v1/profile/attributes',
  'POST /api/v1/users/attributes',
  'POST /api/v1/users/roles',
]

const BODY = JSON.stringify({
  success: false,
  code: 401,
  message: 'The token is invalid, expired or revoked. Get a new one.',
})

/** The exact bytes of the response to all of them. */
const REFUSAL = [
  'HTTP/1.1 401 Unauthorized',
  'Cache-Control: no-store',
  'X-Content-Type-Options: nosniff',
  'WWW-Authenticate: Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${BODY.length}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n')

/** One of each class of attack in `tests/tokens`. */
const CLASSES: ReadonlyArray<Attack> = [
  [
    'alg none',
    ({ keys, application }) =>
      forgeJws(
        JSON.stringify({ ...jwtHeader(keys.application), alg: 'none' }),
        JSON.stringify(application.claims),
        () => '',
      ),
  ],
  [
    'the public key as an HMAC secret',
    ({ keys, application }) =>
      forgeJws(
        JSON.stringify({ ...jwtHeader(keys.application), alg: 'HS256' }),
        JSON.stringify(application.claims),
        (signed) =>
          createHmac('sha256', bytesOf(halvesOf(keys.application).x))
            .update(signed)
            .digest(),
      ),
  ],
  [
    'an attacker’s key URL',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        JSON.stringify(application.claims),
        JSON.stringify({ ...jwtHeader(keys.application), jku: 'https://attacker.example/jwks.json' }),
      ),
  ],
  [
    'a key id that is a path',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        JSON.stringify(application.claims),
        JSON.stringify({ ...jwtHeader(keys.application), kid: '../../../dev/null' }),
      ),
  ],
  [
    'another type',
    ({ keys, application }) =>
      forgeJwt(
        keys.application,
        JSON.stringify(application.claims),
        JSON.stringify({ ...jwtHeader(keys.application), typ: 'JWT' }),
      ),
  ],
  ['a claim missing', wellSigned.application(() => ({ jti: undefined }))],
  ['another issuer', wellSigned.user(() => ({ iss: 'https://attacker.example' }))],
  ['another audience', wellSigned.application(() => ({ aud: 'https://attacker.example' }))],
  ['an unknown subject', wellSigned.user(() => ({ sub: 'eve' }))],
  ['an unknown scope', wellSigned.application(() => ({ scope: 'admin' }))],
  ['an expiry in the past', wellSigned.application(() => ({ exp: 1 }))],
  ['an issue time in the future', wellSigned.user(() => ({ iat: '2999-01-01T00:00:00Z' }))],
  ['another purpose', ({ user }) => user.token.replace('v4.public.', 'v4.local.')],
  ['another version', ({ user }) => user.token.replace('v4.public.', 'v2.public.')],
  ['another footer', (t) => forgePaseto(t.keys.user, JSON.stringify(writtenClaims(t)), { footer: '{}' })],
  [
    "the other kind's key",
    (t) =>
      forgePaseto(t.keys.application, JSON.stringify(writtenClaims(t)), {
        footer: pasetoFooter(t.keys.user),
      }),
  ],
  ['padding', ({ application }) => `${application.token}==`],
  ['one character less', ({ user }) => user.token.slice(0, -1)],
  ['five parts', ({ application }) => `${application.token}.${base64url('x')}.${base64url('y')}`],
]

describe('an invalid token', () => {
  const target = underAttack()

  const answerTo = async (route: string, token: string) => {
    const [method = '', path = ''] = route.split(' ')
    const lines = [`Authorization: Bearer ${token}`]
    return withoutDateAndId(await sendRaw(target().running.port, requestText(method, path, lines)))
  }

  it('gets the same bytes on every route that takes a token', async () => {
    for (const route of ROUTES) expect(await answerTo(route, 'x'), route).to.equal(REFUSAL)
  })

  for (const [index, [what, token]] of [...CLASSES, ...onUserJwts(CLASSES)].entries())
    it(`gets the same bytes for each defect: ${what}`, async () => {
      const route = ROUTES[index % ROUTES.length] ?? ''
      expect(await answerTo(route, await token(target())), route).to.equal(REFUSAL)
    })
})
