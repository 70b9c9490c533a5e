import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type AtItsUrl, startAtItsUrl } from './at-its-url.ts'

const PYTHON = '/usr/bin/python3'

/** A resource server in Python, as in the manual of PyJWT. */
const VERIFY = `
import json, sys, jwt
issuer, token = sys.argv[1:]
key = jwt.PyJWKClient(issuer + '/.well-known/jwks.json').get_signing_key_from_jwt(token)
try:
    claims = jwt.decode(token, key.key, algorithms=['EdDSA'], issuer=issuer, audience=issuer,
                        options={'require': ['exp', 'iat', 'sub', 'jti']})
    print(json.dumps(claims))
except jwt.InvalidTokenError as wrong:
    print(json.dumps({'wrong': type(wrong).__name__}))
`

const hasPyJwt = (): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import jwt, cryptography'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('PyJWT, with a service', () => {
  if (!hasPyJwt()) {
    it('requires PyJWT, which is not installed: apt-get install python3-jwt python3-cryptography', function () {
      this.skip()
    })
    return
  }

  let running: AtItsUrl
  before(async () => {
    running = await startAtItsUrl('')
  })
  after(() => running.service.stop())

  const verify = async (issuer: string, token: string) => {
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', VERIFY, issuer, token], { env: {} })
    return JSON.parse(stdout)
  }

  it('verifies a token with the published keys and refuses a changed one', async () => {
    const { client_id: publicApiKey, secret: privateApiKey } = await running.register('users:sign_in')
    const { token } = await succeed(
      running.service.issueApplicationToken(CONTEXT, { publicApiKey, privateApiKey }),
    )
    const issuer = running.issuer.href.replace(/\/$/, '')
    const claims = await verify(issuer, token)
    expect(claims).to.include({ iss: issuer, aud: issuer, client_id: claims.sub, scope: 'users:sign_in' })

    const [header, payload = '', signature] = token.split('.')
    const forged = Buffer.from(payload, 'base64url').toString().replace('users:sign_in', 'users:register')
    const changed = [header, Buffer.from(forged).toString('base64url'), signature].join('.')
    expect(await verify(issuer, changed)).to.deep.equal({ wrong: 'InvalidSignatureError' })
  })
})
