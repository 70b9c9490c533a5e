import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { PortcullisUnavailable, type UserMethods } from 'portcullis-client'
import { auth, port, redirectUriOf } from './auth.ts'
import { passwordPage, SORRY, signInPage } from './pages.ts'

type Signed = Response<string, { user: UserMethods; email: string }>

/** Refuses a form of another site. */
const requireSameOrigin: RequestHandler = (request, response, next) =>
  request.method === 'GET' || request.get('Sec-Fetch-Site') === 'same-origin'
    ? next()
    : response.sendStatus(403)

/** Admits signed-in users, and renews their sessions. */
const requireUser = async (request: Request, response: Signed, next: () => void) => {
  const { user, profile, setCookies } = await auth.cookies.visitor(request.headers.cookie)
  response.append('Set-Cookie', setCookies).set('Cache-Control', 'no-store')
  if (!profile) return response.redirect(303, '/sign_in')
  Object.assign(response.locals, { user, email: profile.email })
  return next()
}

const fail: ErrorRequestHandler = (error, _request, response, next) =>
  error instanceof PortcullisUnavailable
    ? response.status(503).send(SORRY)
    : next(error.name === 'RequestRefused' ? new Error(error.message) : error) // express would answer with its status

const app = express().disable('x-powered-by').use(requireSameOrigin, express.urlencoded())

app.get('/sign_in', (_request, response) => response.send(signInPage()))
app.post('/sign_in', async (request, response) => {
  const { email, password, remember } = request.body ?? {}
  const credentials = { email, password, remember: remember === 'on' }
  const signedIn = await auth.signIn(credentials, { endUserAddress: request.ip })
  if (!signedIn.ok) return response.status(422).send(signInPage(signedIn.problems))
  return response.append('Set-Cookie', await auth.cookies.keep(signedIn)).redirect(303, '/')
})

app.post('/sign_in/:provider', async ({ params: { provider }, headers }, response) => {
  const redirectUri = redirectUriOf(provider)
  const started = await auth.cookies.startIdentity({ provider, redirectUri }, headers.cookie)
  if (!started.ok) return response.status(422).send(signInPage(started.problems))
  return response.append('Set-Cookie', started.setCookies).redirect(303, started.url)
})
app.get('/back/:provider', async ({ params: { provider }, url, headers, ip }, response) => {
  const options = { endUserAddress: ip }
  const signedIn = await auth.cookies.completeIdentity({ provider, url }, headers.cookie, options)
  response.append('Set-Cookie', signedIn.setCookies)
  if (!signedIn.ok) return response.status(422).send(signInPage(signedIn.problems))
  return response.redirect(303, '/')
})

app.get('/', requireUser, (_request, response: Signed) => response.send(passwordPage(response.locals.email)))
app.post('/', requireUser, async (request, response: Signed) => {
  const { email, user } = response.locals
  const { oldPassword, newPassword, newPasswordCheck } = request.body ?? {}
  const changed = await user.changePassword({ oldPassword, newPassword, newPasswordCheck })
  response.status(changed.ok ? 200 : 422).send(passwordPage(email, changed.ok ? [] : changed.problems))
})

app.use(fail)
const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => server.close())
