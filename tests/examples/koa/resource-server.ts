import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import Koa, { type Middleware } from 'koa'

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
  (scope: string): Middleware =>
  async (context, next) => {
    const refuse = (status: number, why = ''): void => {
      context.status = status
      context.set('WWW-Authenticate', `Bearer realm="invitations"${why}`)
    }
    const [, token] = /^Bearer +(\S+)$/i.exec(context.get('Authorization')) ?? []
    if (token === undefined) return refuse(401)
    try {
      const { payload } = await jwtVerify(token, keys, trusted)
      const scopes = String(payload.scope).split(' ')
      if (!scopes.includes(scope)) return refuse(403, `, error="insufficient_scope", scope="${scope}"`)
      context.state.application = payload.sub
    } catch (error) {
      if (error instanceof errors.JOSEError && !NO_KEYS.includes(error.code))
        return refuse(401, ', error="invalid_token"')
      context.status = 503
      context.set('Retry-After', '5')
      return
    }
    await next()
  }

const app = new Koa()
app.use(needs('users:register'))
app.use((context) => {
  if (context.path === '/invitations') context.body = { application: context.state.application }
})

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${port}/invitations\n`)
})
process.once('SIGTERM', () => server.close())
