import { expect } from 'chai'
import { FORM_TYPE, INTROSPECT } from '../support/introspection.ts'
import { METADATA, REVOKE, TOKEN } from '../support/oauth.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/**
 * Each request has one error and all errors that are checked later. The order: path, method, token, kind of
 * token, then the size, type and text of the body, then the fields.
 */
describe('the order of checks', () => {
  let running: RunningService
  type Holder = 'none' | 'forged' | 'application' | 'gate' | 'reader' | 'manager' | 'auditor' | 'user'
  let tokens: Readonly<Record<Holder, string | undefined>>
  before(async () => {
    running = await startService()
    tokens = {
      none: undefined,
      forged: 'forged',
      application: await running.applicationToken(),
      gate: await scopedToken(running, 'tokens:introspect'),
      reader: await scopedToken(running, 'users:read'),
      manager: await scopedToken(running, 'users:manage'),
      auditor: await scopedToken(running, 'events:read'),
      user: await running.userToken(),
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
  const END_OTHERS = '/api/v1/profile/sessions/end_others'

  const LARGE = { body: '{'.repeat(16 * 1024 + 1), type: 'text/plain' }
  const TYPE = { body: '{', type: 'text/plain' }
  const TEXT = { body: '{', type: 'application/json' }
  const FIELDS = { body: '{}', type: 'application/json' }
  const FORM = { body: 'token=&token=%', type: FORM_TYPE }
  const EMPTY = { body: 'token=', type: FORM_TYPE }
  const GRANT_ONLY = { body: 'grant_type=client_credentials&scope=nothing', type: FORM_TYPE }

  type Wrong = Readonly<{ body: string; type: string }>
  const RULES: ReadonlyArray<[string, string, keyof typeof tokens, Wrong, number]> = [
    ['POST', '/api/v1/nothing', 'none', LARGE, 404],
    ['PUT', '/api/v1/nothing', 'none', LARGE, 404],
    ['OPTIONS', '/api/v1/nothing', 'none', LARGE, 404],
    ['PUT', CHANGE, 'none', LARGE, 405],
    ['PUT', CHANGE, 'application', LARGE, 405],
    ['OPTIONS', CHANGE, 'none', LARGE, 204],
    ['POST', CHANGE, 'none', LARGE, 401],
    ['POST', CHANGE, 'forged', LARGE, 401],
    ['POST', CHANGE, 'application', LARGE, 403],
    ['POST', CHANGE, 'user', LARGE, 413],
    ['POST', CHANGE, 'user', TYPE, 415],
    ['POST', CHANGE, 'user', TEXT, 400],
    ['POST', CHANGE, 'user', FIELDS, 422],
    ['GET', CHANGE, 'none', LARGE, 401],
    ['GET', CHANGE, 'application', LARGE, 403],
    ['GET', CHANGE, 'user', LARGE, 413],
    ['GET', CHANGE, 'user', TYPE, 415],
    ['GET', CHANGE, 'user', TEXT, 400],
    ['GET', CHANGE, 'user', FIELDS, 422],
    ['PATCH', SIGN_IN, 'none', LARGE, 405],
    ['POST', SIGN_IN, 'none', LARGE, 401],
    ['POST', SIGN_IN, 'user', LARGE, 403],
    ['POST', SIGN_IN, 'application', LARGE, 413],
    ['POST', SIGN_IN, 'application', TYPE, 415],
    ['POST', SIGN_IN, 'application', TEXT, 400],
    ['POST', SIGN_IN, 'application', FIELDS, 422],
    ['DELETE', SIGN_IN, 'none', LARGE, 401],
    ['DELETE', SIGN_IN, 'application', LARGE, 403],
    ['DELETE', SIGN_IN, 'user', LARGE, 413],
    ['DELETE', ISSUE, 'none', LARGE, 405],
    ['POST', ISSUE, 'none', LARGE, 413],
    ['POST', ISSUE, 'none', TYPE, 415],
    ['POST', ISSUE, 'none', TEXT, 400],
    ['POST', ISSUE, 'none', FIELDS, 422],
    ['POST', ISSUE, 'none', { body: '{"public_api_key":"x"}', type: 'application/json' }, 422],
    ['GET', USERS, 'none', LARGE, 405],
    ['HEAD', USERS, 'application', LARGE, 405],
    ['OPTIONS', USERS, 'none', LARGE, 204],
    ['POST', USERS, 'none', LARGE, 401],
    ['POST', USERS, 'forged', LARGE, 401],
    ['POST', USERS, 'user', LARGE, 403],
    ['POST', USERS, 'application', LARGE, 413],
    ['POST', USERS, 'application', TYPE, 415],
    ['POST', USERS, 'application', TEXT, 400],
    ['POST', USERS, 'application', FIELDS, 422],
    ['POST', PROFILE, 'none', LARGE, 401],
    ['POST', PROFILE, 'application', LARGE, 403],
    ['POST', PROFILE, 'user', LARGE, 413],
    ['POST', SESSIONS, 'none', LARGE, 405],
    ['GET', SESSIONS, 'none', LARGE, 401],
    ['GET', SESSIONS, 'application', LARGE, 403],
    ['GET', SESSIONS, 'user', LARGE, 413],
    ['GET', SESSIONS, 'user', TYPE, 200],
    ['GET', END, 'none', LARGE, 405],
    ['POST', END, 'none', LARGE, 401],
    ['POST', END, 'forged', LARGE, 401],
    ['POST', END, 'application', LARGE, 403],
    ['POST', END, 'user', LARGE, 413],
    ['POST', END, 'user', TYPE, 415],
    ['POST', END, 'user', TEXT, 400],
    ['POST', END, 'user', FIELDS, 422],
    ['GET', END_OTHERS, 'user', LARGE, 405],
    ['POST', END_OTHERS, 'none', LARGE, 401],
    ['POST', END_OTHERS, 'application', LARGE, 403],
    ['POST', END_OTHERS, 'user', LARGE, 413],
    ['GET', REMOVE, 'none', LARGE, 405],
    ['POST', REMOVE, 'none', LARGE, 401],
    ['POST', REMOVE, 'forged', LARGE, 401],
    ['POST', REMOVE, 'manager', LARGE, 403],
    ['POST', REMOVE, 'user', LARGE, 413],
    ['POST', REMOVE, 'user', TYPE, 415],
    ['POST', REMOVE, 'user', TEXT, 400],
    ['POST', REMOVE, 'user', FIELDS, 422],
    ['GET', SEARCH, 'none', LARGE, 405],
    ['POST', SEARCH, 'none', LARGE, 401],
    ['POST', SEARCH, 'user', LARGE, 403],
    ['POST', SEARCH, 'application', LARGE, 403],
    ['POST', SEARCH, 'manager', LARGE, 403],
    ['POST', SEARCH, 'reader', LARGE, 413],
    ['POST', SEARCH, 'reader', TYPE, 415],
    ['POST', SEARCH, 'reader', TEXT, 400],
    ['POST', SEARCH, 'reader', FIELDS, 200],
    ...MANAGE.flatMap((path): typeof RULES => [
      ['GET', path, 'none', LARGE, 405],
      ['POST', path, 'none', LARGE, 401],
      ['POST', path, 'forged', LARGE, 401],
      ['POST', path, 'user', LARGE, 403],
      ['POST', path, 'application', LARGE, 403],
      ['POST', path, 'reader', LARGE, 403],
      ['POST', path, 'manager', LARGE, 413],
      ['POST', path, 'manager', TYPE, 415],
      ['POST', path, 'manager', TEXT, 400],
      ['POST', path, 'manager', FIELDS, 422],
    ]),
    ...['checkpoint', 'tile/0/000', 'tile/none'].flatMap((path): typeof RULES => [
      ['POST', `/api/v1/log/${path}`, 'none', LARGE, 405],
      ['GET', `/api/v1/log/${path}`, 'none', LARGE, 401],
      ['GET', `/api/v1/log/${path}`, 'forged', LARGE, 401],
      ['GET', `/api/v1/log/${path}`, 'user', LARGE, 403],
      ['GET', `/api/v1/log/${path}`, 'reader', LARGE, 403],
      ['GET', `/api/v1/log/${path}`, 'auditor', LARGE, 413],
      ['GET', `/api/v1/log/${path}`, 'auditor', TYPE, 404],
    ]),
    ['GET', INTROSPECT, 'none', LARGE, 405],
    ['HEAD', INTROSPECT, 'gate', EMPTY, 405],
    ['OPTIONS', INTROSPECT, 'none', LARGE, 204],
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
    ['POST', USERS, 'gate', LARGE, 403],
    ['GET', TOKEN, 'none', LARGE, 405],
    ['OPTIONS', TOKEN, 'none', LARGE, 204],
    ['POST', TOKEN, 'none', LARGE, 413],
    ['POST', TOKEN, 'gate', TYPE, 415],
    ['POST', TOKEN, 'gate', FORM, 400],
    ['POST', TOKEN, 'gate', EMPTY, 400],
    ['POST', TOKEN, 'gate', GRANT_ONLY, 401],
    ['GET', REVOKE, 'none', LARGE, 405],
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
