import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { PortcullisUnavailable } from 'portcullis-client'
import { auth, port } from './auth.ts'
import { completeIdentity, startIdentity } from './identity.ts'
import { passwordPage, SORRY, signInPage } from './pages.ts'
import { cookieOf, tokenOf } from './session.ts'

type Signed = Response<string, { token: string; email: string }>

/** Refuses a form of another site. */
const requireSameOrigin: RequestHandler = (request, response, next) =>
  request.method === 'GET' || request.get('Sec-Fetch-Site') === 'same-origin'
    ? next()
    : response.sendStatus(403)

/** Admits signed-in users, and renews their sessions. */
const requireUser = async (request: Request, response: Signed, next: () => void) => {
  const { token, cookie } = await tokenOf(request.headers.cookie)
  if (cookie) response.append('Set-Cookie', cookie)
  const profile = await auth.user(token).getProfile()
  if (!profile.ok) return response.redirect(303, '/sign_in')
  Object.assign(response.locals, { token, email: profile.email })
  return next()
}

const fail: ErrorRequestHandler = (error, _request, response, next) =>
  error instanceof PortcullisUnavailable ? response.status(503).send(SORRY) : next(error)

const app = express().disable('x-powered-by').use(requireSameOrigin, express.urlencoded())

app.get('/sign_in', (_request, response) => response.send(signInPage()))
app.post('/sign_in', async (request, response) => {
  const { email, password, remember } = request.body ?? {}
  const credentials = { email, password, remember: remember === 'on' }
  const signedIn = await auth.signIn(credentials, { endUserAddress: request.ip })
  if (!signedIn.ok) return response.status(422).send(signInPage(signedIn.problems))
  return response.append('Set-Cookie', cookieOf(signedIn)).redirect(303, '/')
})

app.post('/sign_in/:provider', async ({ params }, response) => {
  const started = await startIdentity(params.provider)
  if (!started.ok) return response.status(422).send(signInPage(started.problems))
  return response.append('Set-Cookie', started.cookie).redirect(303, started.url)
})
app.get('/back/:provider', async ({ params, url, headers, ip }, response) => {
  const signedIn = await completeIdentity(params.provider, url, headers.cookie, ip)
  if (!signedIn.ok) return response.status(422).send(signInPage(signedIn.problems))
  return response.append('Set-Cookie', cookieOf(signedIn)).redirect(303, '/')
})

app.get('/', requireUser, (_request, response: Signed) => response.send(passwordPage(response.locals.email)))
app.post('/', requireUser, async (request, response: Signed) => {
  const { email, token } = response.locals
  const { oldPassword, newPassword, newPasswordCheck } = request.body ?? {}
  const changed = await auth.user(token).changePassword({ oldPassword, newPassword, newPasswordCheck })
  response.status(changed.ok ? 200 : 422).send(passwordPage(email, changed.ok ? [] : changed.problems))
})

app.use(fail)
const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => server.close())
