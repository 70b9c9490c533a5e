import express, { type RequestHandler } from 'express'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const issuer = process.env.ISSUER ?? 'http://127.0.0.1:8080' // the PUBLIC_URL of Portcullis
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), { cacheMaxAge: 480_000 })
const trusted = {
  issuer,
  audience: issuer,
  algorithms: ['EdDSA'],
  typ: 'at+jwt',
  clockTolerance: 5,
  requiredClaims: ['sub', 'iat', 'exp', 'scope'],
}

/** jose has no keys to verify with. Every other jose error means that the token is invalid. */
const NO_KEYS = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']

/** Admits applications whose token has the scope. Refuses other requests as RFC 6750 §3 says. */
const needs =
  (scope: string): RequestHandler =>
  async (request, response, next) => {
    const refuse = (status: number, why = ''): void => {
      response.status(status).set('WWW-Authenticate', `Bearer realm="invitations"${why}`).end()
    }
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) return refuse(401)
    try {
      const { payload } = await jwtVerify(token, keys, trusted)
      const scopes = String(payload.scope).split(' ')
      if (!scopes.includes(scope)) return refuse(403, `, error="insufficient_scope", scope="${scope}"`)
      response.locals.application = payload.sub
    } catch (error) {
      if (error instanceof errors.JOSEError && !NO_KEYS.includes(error.code))
        return refuse(401, ', error="invalid_token"')
      response.status(503).set('Retry-After', '5').end()
      return
    }
    next()
  }

const app = express().disable('x-powered-by')
app.get('/invitations', needs('users:register'), (_request, response) => {
  response.json({ application: response.locals.application })
})

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  process.stdout.write(`http://127.0.0.1:${port}/invitations\n`)
})
process.once('SIGTERM', () => server.close())
