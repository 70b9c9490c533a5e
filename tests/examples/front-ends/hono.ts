import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { PortcullisUnavailable } from 'portcullis-client'
import { auth, port } from './auth.ts'
import { completeIdentity, startIdentity } from './identity.ts'
import { passwordPage, SORRY, signInPage } from './pages.ts'
import { cookieOf, tokenOf } from './session.ts'

type Signed = { Variables: { token: string; email: string } }

/** Admits signed-in users, and renews their sessions. */
const requireUser = createMiddleware<Signed>(async (c, next) => {
  const { token, cookie } = await tokenOf(c.req.header('Cookie'))
  if (cookie) c.header('Set-Cookie', cookie)
  const profile = await auth.user(token).getProfile()
  if (!profile.ok) return c.redirect('/sign_in', 303)
  c.set('token', token)
  c.set('email', profile.email)
  return next()
})

const formIn = async (c: Context) => Object.fromEntries(new URLSearchParams(await c.req.text()))

const app = new Hono<Signed>()
app.use(csrf(), bodyLimit({ maxSize: 16_384 }))
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse()
  return c.html(SORRY, error instanceof PortcullisUnavailable ? 503 : 500)
})

app.get('/sign_in', (c) => c.html(signInPage()))
app.post('/sign_in', async (c) => {
  const { email, password, remember } = await formIn(c)
  const credentials = { email, password, remember: remember === 'on' }
  const signedIn = await auth.signIn(credentials, { endUserAddress: getConnInfo(c).remote.address })
  if (!signedIn.ok) return c.html(signInPage(signedIn.problems), 422)
  c.header('Set-Cookie', cookieOf(signedIn))
  return c.redirect('/', 303)
})

app.post('/sign_in/:provider', async (c) => {
  const started = await startIdentity(c.req.param('provider'))
  if (!started.ok) return c.html(signInPage(started.problems), 422)
  c.header('Set-Cookie', started.cookie)
  return c.redirect(started.url, 303)
})
app.get('/back/:provider', async (c) => {
  const { address } = getConnInfo(c).remote
  const signedIn = await completeIdentity(c.req.param('provider'), c.req.url, c.req.header('Cookie'), address)
  if (!signedIn.ok) return c.html(signInPage(signedIn.problems), 422)
  c.header('Set-Cookie', cookieOf(signedIn))
  return c.redirect('/', 303)
})

app.get('/', requireUser, (c) => c.html(passwordPage(c.var.email)))
app.post('/', requireUser, async (c) => {
  const { oldPassword, newPassword, newPasswordCheck } = await formIn(c)
  const changed = await auth.user(c.var.token).changePassword({ oldPassword, newPassword, newPasswordCheck })
  return c.html(passwordPage(c.var.email, changed.ok ? [] : changed.problems), changed.ok ? 200 : 422)
})

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => server.close())
