import type * as fc from 'fast-check'
import { FACTORS } from '../support/factor-desk.ts'
import { REDIRECT_URI } from '../support/granted-sessions.ts'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { METADATA, REVOKE, TOKEN } from '../support/oauth.ts'
import { PASSKEY_SIGN_IN, SECOND_STEP, STEP_UP } from '../support/passkey-desk.ts'
import { PAGES } from './random-requests-pages.ts'

export type Valid = Readonly<{
  method: string
  path: string
  token: string
  fields: Readonly<Record<string, string>>
  /** Fields that are arrays, in JSON only. */
  lists?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Of the body; JSON by default. */
  type?: typeof FORM_TYPE
  /** Instead of the random bodies of this type. */
  body?: fc.Arbitrary<string>
  /** Beside the random headers. */
  headers?: fc.Arbitrary<ReadonlyArray<string>>
}>

const IDENTITY = '/api/v1/auth/user/identity'
const LINK = '/api/v1/profile/identities'
const AT_GOOGLE = { provider: 'google', redirect_uri: REDIRECT_URI }
const SIGN_IN = { email: '%email%', password: '%password%' }
const CHANGE = {
  old_password: '%password%',
  new_password: '%newPassword%',
  new_password_check: '%newPassword%',
}

/** One valid request for every route and method, and for every page for people. */
export const VALID: ReadonlyArray<Valid> = [
  ...PAGES,
  {
    method: 'POST',
    path: '/api/v1/auth/application/token',
    token: '',
    fields: { public_api_key: '%publicKey%', private_api_key: '%privateKey%' },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/user/token',
    token: 'application',
    fields: { ...SIGN_IN, label: 'Firefox on Linux' },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/user/second_factor',
    token: 'application',
    fields: { token: '%pending%', recovery_code: '%recoveryCode%' },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/user/vouched',
    token: 'voucher',
    fields: { user_id: '%userId%', method: 'fed' },
  },
  { method: 'POST', path: IDENTITY, token: 'application', fields: AT_GOOGLE },
  {
    method: 'POST',
    path: `${IDENTITY}/complete`,
    token: 'application',
    fields: { transaction: '%identityTransaction%', answer: '%identityAnswer%' },
  },
  { method: 'POST', path: LINK, token: 'user', fields: AT_GOOGLE },
  {
    method: 'POST',
    path: `${LINK}/complete`,
    token: 'user',
    fields: { transaction: '%linkTransaction%', answer: '%linkAnswer%' },
  },
  { method: 'POST', path: `${STEP_UP}/identity`, token: 'user', fields: AT_GOOGLE },
  { method: 'POST', path: PASSKEY_SIGN_IN, token: 'application', fields: {} },
  {
    method: 'POST',
    path: `${PASSKEY_SIGN_IN}/complete`,
    token: 'application',
    fields: { credential: '%assertion%' },
  },
  {
    method: 'POST',
    path: `${SECOND_STEP}/passkey`,
    token: 'application',
    fields: { token: '%pendingPasskey%' },
  },
  { method: 'DELETE', path: '/api/v1/auth/user/token', token: 'user', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/users',
    token: 'application',
    fields: { email: '%newEmail%', password: '%newPassword%' },
  },
  { method: 'POST', path: '/api/v1/users/recovery', token: 'desk', fields: { email: '%email%' } },
  {
    method: 'POST',
    path: '/api/v1/users/recovery/mail',
    token: 'application',
    fields: { email: '%email%', language: 'de' },
  },
  {
    method: 'POST',
    path: '/api/v1/profile/email',
    token: 'user',
    fields: { email: '%newEmail%', password: '%password%', language: 'de' },
  },
  {
    method: 'POST',
    path: '/api/v1/users/recovery/complete',
    token: '',
    fields: {
      token: '%recovery%',
      new_password: '%newPassword%',
      new_password_check: '%newPassword%',
    },
  },
  {
    method: 'POST',
    path: '/api/v1/users/email_confirmation',
    token: 'desk',
    fields: { user_id: '%userId%', email: '%email%' },
  },
  {
    method: 'POST',
    path: '/api/v1/users/email_confirmation/complete',
    token: '',
    fields: { token: '%confirmation%' },
  },
  { method: 'GET', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'HEAD', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'POST', path: '/api/v1/profile', token: 'user', fields: {} },
  { method: 'GET', path: '/api/v1/profile/change_password', token: 'user', fields: CHANGE },
  { method: 'POST', path: '/api/v1/profile/change_password', token: 'user', fields: CHANGE },
  { method: 'GET', path: '/api/v1/profile/sessions', token: 'user', fields: {} },
  { method: 'HEAD', path: '/api/v1/profile/sessions', token: 'user', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/profile/sessions/end',
    token: 'user',
    fields: { session_id: '%session%' },
  },
  { method: 'POST', path: '/api/v1/profile/sessions/end_others', token: 'user', fields: {} },
  { method: 'POST', path: '/api/v1/profile/step_up', token: 'user', fields: { password: '%password%' } },
  { method: 'GET', path: FACTORS, token: 'user', fields: {} },
  { method: 'HEAD', path: FACTORS, token: 'user', fields: {} },
  { method: 'POST', path: `${FACTORS}/totp`, token: 'user', fields: {} },
  {
    method: 'POST',
    path: `${FACTORS}/totp/complete`,
    token: 'user',
    fields: { enrolment: '%enrolment%', totp: '%totp%', name: 'phone' },
  },
  { method: 'POST', path: `${FACTORS}/passkey`, token: 'user', fields: {} },
  {
    method: 'POST',
    path: `${FACTORS}/passkey/complete`,
    token: 'user',
    fields: { credential: '%registration%', name: 'key' },
  },
  { method: 'POST', path: `${STEP_UP}/passkey`, token: 'withPasskey', fields: {} },
  {
    method: 'POST',
    path: `${FACTORS}/rename`,
    token: 'withFactor',
    fields: { factor_id: '%factor%', name: 'phone' },
  },
  { method: 'POST', path: `${FACTORS}/remove`, token: 'withFactor', fields: { factor_id: '%factor%' } },
  { method: 'POST', path: `${FACTORS}/recovery_codes`, token: 'withFactor', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/users/reset_factors',
    token: 'support',
    fields: { user_id: '%userId%' },
  },
  {
    method: 'POST',
    path: '/api/v1/profile/attributes',
    token: 'user',
    fields: { name: 'Ada', locale: 'en' },
  },
  {
    method: 'POST',
    path: '/api/v1/users/attributes',
    token: 'support',
    fields: { user_id: '%userId%', name: 'Ada' },
  },
  {
    method: 'POST',
    path: '/api/v1/users/roles',
    token: 'support',
    fields: { user_id: '%userId%' },
    lists: { add: ['shop:admin'], remove: ['editor'] },
  },
  { method: 'POST', path: '/api/v1/profile/remove', token: 'user', fields: { password: '%password%' } },
  {
    method: 'POST',
    path: '/api/v1/users/search',
    token: 'administrator',
    fields: { email: '%email%', status: 'enabled' },
  },
  { method: 'POST', path: '/api/v1/users/show', token: 'administrator', fields: { user_id: '%userId%' } },
  { method: 'POST', path: '/api/v1/users/disable', token: 'administrator', fields: { user_id: '%userId%' } },
  { method: 'POST', path: '/api/v1/users/enable', token: 'administrator', fields: { user_id: '%userId%' } },
  { method: 'POST', path: '/api/v1/users/remove', token: 'administrator', fields: { user_id: '%userId%' } },
  {
    method: 'POST',
    path: '/api/v1/users/end_sessions',
    token: 'administrator',
    fields: { user_id: '%userId%' },
  },
  { method: 'GET', path: '/api/v1/log/checkpoint', token: 'auditor', fields: {} },
  { method: 'GET', path: '/api/v1/log/tile/0/000.p/1', token: 'auditor', fields: {} },
  { method: 'HEAD', path: '/api/v1/log/tile/entries/000.p/2', token: 'auditor', fields: {} },
  {
    method: 'POST',
    path: '/api/v1/auth/user/token/renew',
    token: 'application',
    fields: { token: '%user%' },
  },
  {
    method: 'GET',
    path: '/api/v1/events?limit=2&type=UserSignedIn',
    token: 'administrator',
    fields: {},
  },
  { method: 'HEAD', path: '/api/v1/events', token: 'administrator', fields: {} },
  { method: 'GET', path: '/.well-known/jwks.json', token: '', fields: {} },
  { method: 'GET', path: '/api/v1/password_policy', token: '', fields: {} },
  { method: 'GET', path: '/.well-known/paseto-keys.json', token: '', fields: {} },
  { method: 'GET', path: '/.well-known/user-jwks.json', token: '', fields: {} },
  { method: 'GET', path: '/.well-known/openid-jwks.json', token: '', fields: {} },
  {
    method: 'POST',
    path: INTROSPECT,
    token: 'introspectOnly',
    fields: { token: '%user%', token_type_hint: 'access_token' },
    type: FORM_TYPE,
  },
  { method: 'GET', path: '/openapi.json', token: '', fields: {} },
  {
    method: 'POST',
    path: TOKEN,
    token: '',
    fields: {
      grant_type: 'client_credentials',
      client_id: '%publicKey%',
      client_secret: '%privateKey%',
      scope: 'users:sign_in',
    },
    type: FORM_TYPE,
  },
  // The keys belong to an application without a token, so that no request invalidates another one.
  {
    method: 'POST',
    path: REVOKE,
    token: '',
    fields: {
      client_id: '%tokenlessPublicKey%',
      client_secret: '%tokenlessPrivateKey%',
      token: '%user%',
      token_type_hint: 'access_token',
    },
    type: FORM_TYPE,
  },
  {
    method: 'POST',
    path: '/oauth2/par',
    token: '',
    fields: {
      client_id: '%tokenlessPublicKey%',
      client_secret: '%tokenlessPrivateKey%',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
    type: FORM_TYPE,
  },
  { method: 'GET', path: '/oauth2/userinfo', token: 'user', fields: {} },
  { method: 'POST', path: '/oauth2/userinfo', token: 'user', fields: {} },
  { method: 'GET', path: '/.well-known/openid-configuration', token: '', fields: {} },
  { method: 'GET', path: METADATA, token: '', fields: {} },
  { method: 'GET', path: '/', token: '', fields: {} },
  { method: 'GET', path: '/docs', token: '', fields: {} },
  { method: 'GET', path: '/healthz', token: '', fields: {} },
  { method: 'GET', path: '/readyz', token: '', fields: {} },
  { method: 'GET', path: '/metrics', token: '', fields: {} },
]
