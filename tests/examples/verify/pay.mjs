import { createServer } from 'node:http'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const [issuer, port = '3000'] = process.argv.slice(2) // the PUBLIC_URL of Portcullis
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/user-jwks.json`), { cacheMaxAge: 480_000 })
const trusted = { issuer, audience: issuer, algorithms: ['EdDSA'], typ: 'at+jwt', clockTolerance: 5 }
const required = { requiredClaims: ['sub', 'client_id', 'sid', 'iat', 'exp', 'jti'] }
const MAX_AGE = 600 // seconds
const LEVELS = ['aal1', 'aal2'] // each of them is enough, so the challenge names none
const STEP_UP = `, error="insufficient_user_authentication", max_age=${MAX_AGE}`
const NO_KEYS = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']

/** A token without these claims is refused, too. */
const isEnough = ({ auth_time, acr }) =>
  typeof auth_time === 'number' && Date.now() / 1000 <= auth_time + MAX_AGE && LEVELS.includes(acr)

createServer(async (request, response) => {
  const refuse = (why = '') =>
    response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="pay"${why}` }).end()
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined) return refuse()
  try {
    const { payload } = await jwtVerify(token, keys, { ...trusted, ...required })
    if (!isEnough(payload)) return refuse(STEP_UP)
    response.end(`${payload.sub} has paid\n`)
  } catch (error) {
    const isInvalid = error instanceof errors.JOSEError && !NO_KEYS.includes(error.code)
    if (isInvalid) refuse(', error="invalid_token"')
    else response.writeHead(503).end()
  }
}).listen(Number(port), '127.0.0.1')
