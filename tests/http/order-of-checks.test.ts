import { expect } from 'chai'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { METADATA, REVOKE, TOKEN } from '../support/oauth.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/** The holder of a token: the user, or an application by its scope. */
type Holder = 'none' | 'forged' | 'user' | 'application' | keyof typeof SCOPES
const SCOPES = {
  signer: 'users:sign_in',
  registrar: 'users:register',
  gate: 'tokens:introspect',
  reader: 'users:read',
  editor: 'users:attributes',
  voucher: 'users:vouch',
  promoter: 'users:roles',
  manager: 'users:manage',
  recoverer: 'users:recover',
  confirmer: 'users:confirm_email',
  auditor: 'events:read',
} as const

/**
 * Each request has one error and all errors that are checked later. The order: path, method, token, kind of
 * token, then the size, type and text of the body, then the fields.
 */
describe('the order of checks', () => {
  let running: RunningService
  let tokens: Readonly<Record<Holder, string | undefined>>
  before(async () => {
    running = await startService(mailLinkSettings())
    const scoped = await Promise.all(
      Object.entries(SCOPES).map(async ([holder, scope]) => [holder, await scopedToken(running, scope)]),
    )
    tokens = {
      none: undefined,
      forged: 'forged',
      application: await running.applicationToken(),
      user: await running.userToken(),
      ...Object.fromEntries(scoped),
    }
  })
  after(() => running.stop())

  const CHANGE = '/api/v1/profile/change_password'
  const SIGN_IN = '/api/v1/auth/user/token'
  const ISSUE = '/api/v1/auth/application/token'
  const PROFILE = '/api/v1/profile'
  const USERS = '/api/v1/users'
  const SESSIONS = '/api/v1/profile/sessions'
  const END = '/api/v1/profile/sessions/end'
  const REMOVE = '/api/v1/profile/remove'
  const SEARCH = '/api/v1/users/search'
  const MANAGE = ['disable', 'enable', 'remove', 'end_sessions'].map((what) => `/api/v1/users/${what}`)
  const RECOVERY = '/api/v1/users/recovery'
  const RECOVERY_MAIL = '/api/v1/users/recovery/mail'
  const CONFIRMATION = '/api/v1/users/email_confirmation'
  const OWN_EMAIL = '/api/v1/profile/email'
  const ATTRIBUTES = '/api/v1/profile/attributes'
  const ATTRIBUTES_OF_USERS = '/api/v1/users/attributes'
  const VOUCHED = '/api/v1/auth/user/vouched'
  const ROLES = '/api/v1/users/roles'
  const SHOW = '/api/v1/users/show'
  const END_OTHERS = '/api/v1/profile/sessions/end_others'

  const LARGE = { body: '{'.repeat(16 * 1024 + 1), type: 'text/plain' }
  const TYPE = { body: '{', type: 'text/plain' }
  const TEXT = { body: '{', type: 'application/json' }
  const FIELDS = { body: '{}', type: 'application/json' }
  const FORM = { body: 'token=&token=%', type: FORM_TYPE }
  const EMPTY = { body: 'token=', type: FORM_TYPE }
  const GRANT_ONLY = { body: 'grant_type=client_credentials&scope=nothing', type: FORM_TYPE }

  type Wrong = Readonly<{ body: string; type: string }>
  type Rule = readonly [method: string, path: string, token: Holder, wrong: Wrong, status: number]

  /** Which token each route takes: the body is examined only with the right one. */
  const takes = (path: string, method: string, right: Holder, ...wrong: ReadonlyArray<Holder>): Rule[] => [
    [method, path, 'none', LARGE, 401],
    [method, path, 'forged', LARGE, 401],
    ...wrong.map((holder): Rule => [method, path, holder, LARGE, 403]),
    [method, path, right, LARGE, 413],
  ]
  const examined = (path: string, method: string, holder: Holder): Rule[] => [
    [method, path, holder, TYPE, 415],
    [method, path, holder, TEXT, 400],
    [method, path, holder, FIELDS, 422],
  ]

  const RULES: ReadonlyArray<Rule> = [
    ['POST', '/api/v1/nothing', 'none', LARGE, 404],
    ['PUT', '/api/v1/nothing', 'none', LARGE, 404],
    ['OPTIONS', '/api/v1/nothing', 'none', LARGE, 404],
    ['PUT', CHANGE, 'none', LARGE, 405],
    ['PUT', CHANGE, 'application', LARGE, 405],
    ['OPTIONS', CHANGE, 'none', LARGE, 204],
    ...takes(CHANGE, 'POST', 'user', 'application'),
    ...examined(CHANGE, 'POST', 'user'),
    ...takes(CHANGE, 'GET', 'user', 'application'),
    ...examined(CHANGE, 'GET', 'user'),
    ...takes(SIGN_IN, 'POST', 'signer', 'user', 'registrar', 'manager'),
    ...examined(SIGN_IN, 'POST', 'application'),
    ...takes(SIGN_IN, 'DELETE', 'user', 'application'),
    ...takes(VOUCHED, 'POST', 'voucher', 'user', 'application', 'signer', 'recoverer', 'manager'),
    ...examined(VOUCHED, 'POST', 'voucher'),
    ...takes(USERS, 'POST', 'registrar', 'user', 'signer', 'manager', 'gate'),
    ...takes(PROFILE, 'GET', 'user', 'application'),
    ...takes(PROFILE, 'POST', 'user', 'application'),
    ...takes(SESSIONS, 'GET', 'user', 'application'),
    ['GET', SESSIONS, 'user', TYPE, 200],
    ...takes(END, 'POST', 'user', 'application'),
    ...takes(END_OTHERS, 'POST', 'user', 'application'),
    ...takes(REMOVE, 'POST', 'user', 'manager'),
    ...takes(ATTRIBUTES, 'POST', 'user', 'application', 'editor'),
    ...examined(ATTRIBUTES, 'POST', 'user'),
    ...takes(ATTRIBUTES_OF_USERS, 'POST', 'editor', 'user', 'application', 'reader', 'manager'),
    ...examined(ATTRIBUTES_OF_USERS, 'POST', 'editor'),
    ...takes(ROLES, 'POST', 'promoter', 'user', 'application', 'reader', 'manager', 'editor', 'voucher'),
    ...examined(ROLES, 'POST', 'promoter'),
    ...takes(SHOW, 'POST', 'reader', 'user', 'application', 'manager', 'editor', 'promoter', 'voucher'),
    ...examined(SHOW, 'POST', 'reader'),
    ...takes(SEARCH, 'POST', 'reader', 'user', 'application', 'manager', 'gate'),
    ['POST', SEARCH, 'reader', FIELDS, 200],
    ...MANAGE.flatMap((path) => takes(path, 'POST', 'manager', 'user', 'application', 'reader', 'recoverer')),
    ...takes(RECOVERY, 'POST', 'recoverer', 'user', 'application', 'confirmer'),
    ...takes(RECOVERY_MAIL, 'POST', 'signer', 'user', 'registrar', 'recoverer', 'confirmer'),
    ...examined(RECOVERY_MAIL, 'POST', 'signer'),
    ...takes(OWN_EMAIL, 'POST', 'user', 'application', 'confirmer'),
    ['POST', OWN_EMAIL, 'user', TYPE, 415],
    ['POST', OWN_EMAIL, 'user', TEXT, 400],
    ...takes(CONFIRMATION, 'POST', 'confirmer', 'user', 'application', 'recoverer'),
    ...['checkpoint', 'tile/0/000', 'tile/none'].flatMap((path) => [
      ...takes(`/api/v1/log/${path}`, 'GET', 'auditor', 'user', 'reader'),
      ['GET', `/api/v1/log/${path}`, 'auditor', TYPE, 404] as const,
    ]),
    ['DELETE', ISSUE, 'none', LARGE, 405],
    ['POST', ISSUE, 'none', LARGE, 413],
    ...examined(ISSUE, 'POST', 'none'),
    ['POST', ISSUE, 'none', { body: '{"public_api_key":"x"}', type: 'application/json' }, 422],
    ['HEAD', INTROSPECT, 'gate', EMPTY, 405],
    ['POST', INTROSPECT, 'none', LARGE, 413],
    ['POST', INTROSPECT, 'none', TYPE, 415],
    ['POST', INTROSPECT, 'none', FORM, 400],
    ['POST', INTROSPECT, 'none', EMPTY, 401],
    ['POST', INTROSPECT, 'forged', LARGE, 401],
    ['POST', INTROSPECT, 'user', LARGE, 403],
    ['POST', INTROSPECT, 'application', LARGE, 403],
    ['POST', INTROSPECT, 'gate', LARGE, 413],
    ['POST', INTROSPECT, 'gate', TYPE, 415],
    ['POST', INTROSPECT, 'gate', FORM, 400],
    ['POST', INTROSPECT, 'gate', EMPTY, 400],
    ['POST', TOKEN, 'none', LARGE, 413],
    ['POST', TOKEN, 'gate', TYPE, 415],
    ['POST', TOKEN, 'gate', FORM, 400],
    ['POST', TOKEN, 'gate', EMPTY, 400],
    ['POST', TOKEN, 'gate', GRANT_ONLY, 401],
    ['POST', REVOKE, 'none', LARGE, 413],
    ['POST', REVOKE, 'gate', TYPE, 415],
    ['POST', REVOKE, 'gate', FORM, 400],
    ['POST', REVOKE, 'gate', EMPTY, 401],
    ['POST', METADATA, 'none', LARGE, 405],
    ['GET', METADATA, 'forged', LARGE, 413],
    ['GET', METADATA, 'forged', TYPE, 200],
  ]

  const NAMES = new Map<Wrong, string>([
    [LARGE, 'a body too large, of a wrong type and malformed'],
    [TYPE, 'a body of a wrong type and malformed'],
    [TEXT, 'a malformed body'],
    [FIELDS, 'no fields'],
    [FORM, 'a malformed form'],
    [EMPTY, 'an empty field'],
    [GRANT_ONLY, 'no keys and an unknown scope'],
  ])

  for (const [method, path, token, wrong, status] of RULES) {
    it(`${method} ${path}, token: ${token}, ${NAMES.get(wrong) ?? wrong.body} is ${status}`, async () => {
      const bearer = tokens[token]
      const answer = await running.send({
        method,
        path,
        ...(bearer === undefined ? {} : { token: bearer }),
        body: wrong.body,
        headers: { 'content-type': wrong.type },
      })
      expect(answer.status).to.equal(status)
      if (status >= 400 && method !== 'HEAD')
        expect(answer.body).to.deep.include({ success: false, code: status })
    })
  }

  it('leaves the user signed in and the password unchanged', async () => {
    const bearer = tokens.user ?? ''
    expect((await running.send({ method: 'GET', path: PROFILE, token: bearer })).status).to.equal(200)
    expect(await running.userToken()).to.be.a('string')
  })
})
