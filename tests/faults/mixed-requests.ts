import { expect } from 'chai'
import { httpClient, type TestRequest } from '../support/http-client.ts'

type Keys = Readonly<{ public_api_key: string; private_api_key: string }>

const ISSUE = { method: 'POST', path: '/api/v1/auth/application/token' }
const SIGN_IN = { method: 'POST', path: '/api/v1/auth/user/token' }
const SIGN_OUT = { method: 'DELETE', path: '/api/v1/auth/user/token' }
const PROFILE = { method: 'GET', path: '/api/v1/profile' }
const CHANGE = { method: 'POST', path: '/api/v1/profile/change_password' }

/**
 * Sends at least this many requests of every kind, valid and refused, over keep-alive connections, one for each user.
 *
 * @param emails of users with the password PASSWORD, which is set again at the end
 * @param each is called after every request with the number of requests so far
 */
export const sendMixed = async (
  url: string,
  keys: Keys,
  emails: ReadonlyArray<string>,
  requests: number,
  each: (sent: number) => void,
): Promise<void> => {
  const { send, close } = httpClient(url)
  let sent = 0
  const ask = async (request: TestRequest, status: number) => {
    const answer = await send(request)
    expect(answer.status, `${request.method} ${request.path}`).to.equal(status)
    sent += 1
    each(sent)
    return answer.body
  }

  const day = async (email: string, oldPassword: string, newPassword: string): Promise<void> => {
    const { token: application } = await ask({ ...ISSUE, body: keys }, 200)
    await ask({ ...ISSUE, body: { ...keys, private_api_key: 'sk_none' } }, 401)
    await ask({ ...ISSUE, body: {} }, 422)
    await ask({ ...SIGN_IN, token: application, body: { email, password: 'no' } }, 422)
    await ask({ ...SIGN_IN, body: { email, password: oldPassword } }, 401)
    const signIn = { ...SIGN_IN, token: application, body: { email, password: oldPassword } }
    const { token } = await ask(signIn, 200)
    const { token: other } = await ask(signIn, 200)
    for (let again = 0; again < 4; again += 1) await ask({ ...PROFILE, token }, 200)
    await ask({ ...PROFILE, method: 'POST', token: other }, 200)
    await ask({ ...PROFILE, token: application }, 403)
    await ask({ ...PROFILE, token: `${token}x` }, 401)
    const change = { old_password: oldPassword, new_password: newPassword, new_password_check: newPassword }
    await ask({ ...CHANGE, token, body: { ...change, old_password: 'no' } }, 422)
    await ask({ ...CHANGE, token, body: '{' }, 400)
    await ask({ ...CHANGE, token, body: 'x', headers: { 'content-type': 'text/plain' } }, 415)
    await ask({ ...CHANGE, token, body: 'x'.repeat(17_000) }, 413)
    await ask({ ...CHANGE, token, body: change }, 200)
    await ask({ ...PROFILE, token: other }, 401)
    await ask({ ...SIGN_OUT, token }, 200)
    await ask({ ...PROFILE, token }, 401)
    await ask({ method: 'GET', path: `/api/v1/nothing/${sent}` }, 404)
    await ask({ ...ISSUE, method: 'PUT' }, 405)
    await ask({ method: 'GET', path: '/.well-known/jwks.json' }, 200)
    await ask({ method: 'GET', path: '/.well-known/paseto-keys.json' }, 200)
    await ask({ method: 'GET', path: '/.well-known/user-jwks.json' }, 200)
    await ask({ method: 'POST', path: '/oauth2/introspect', token: application }, 403)
    await ask({ method: 'GET', path: '/readyz' }, 200)
  }

  const manyDays = async (email: string): Promise<void> => {
    while (sent < requests) {
      await day(email, PASSWORD, OTHER_PASSWORD)
      await day(email, OTHER_PASSWORD, PASSWORD)
    }
  }
  try {
    await Promise.all(emails.map(manyDays))
  } finally {
    await close()
  }
}

export const PASSWORD = 'one password'
const OTHER_PASSWORD = 'another password'
