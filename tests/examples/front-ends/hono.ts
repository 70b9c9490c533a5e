import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { PortcullisUnavailable, type UserMethods } from 'portcullis-client'
import { auth, port, redirectUriOf } from './auth.ts'
import { passwordPage, SORRY, signInPage } from './pages.ts'

type Signed = { Variables: { user: UserMethods; email: string } }

const setAll = (c: Context, lines: ReadonlyArray<string>): void => {
  for (const line of lines) c.header('Set-Cookie', line, { append: true })
}

/** Admits signed-in users, and renews their sessions. */
const requireUser = createMiddleware<Signed>(async (c, next) => {
  const { user, profile, setCookies } = await auth.cookies.visitor(c.req.header('Cookie'))
  setAll(c, setCookies)
  c.header('Cache-Control', 'no-store')
  if (!profile) return c.redirect('/sign_in', 303)
  c.set('user', user)
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
  setAll(c, [await auth.cookies.keep(signedIn)])
  return c.redirect('/', 303)
})

app.post('/sign_in/:provider', async (c) => {
  const provider = c.req.param('provider')
  const input = { provider, redirectUri: redirectUriOf(provider) }
  const started = await auth.cookies.startIdentity(input, c.req.header('Cookie'))
  if (!started.ok) return c.html(signInPage(started.problems), 422)
  setAll(c, started.setCookies)
  return c.redirect(started.url, 303)
})
app.get('/back/:provider', async (c) => {
  const input = { provider: c.req.param('provider'), url: c.req.url }
  const options = { endUserAddress: getConnInfo(c).remote.address }
  const signedIn = await auth.cookies.completeIdentity(input, c.req.header('Cookie'), options)
  setAll(c, signedIn.setCookies)
  if (!signedIn.ok) return c.html(signInPage(signedIn.problems), 422)
  return c.redirect('/', 303)
})

app.get('/', requireUser, (c) => c.html(passwordPage(c.var.email)))
app.post('/', requireUser, async (c) => {
  const { oldPassword, newPassword, newPasswordCheck } = await formIn(c)
  const changed = await c.var.user.changePassword({ oldPassword, newPassword, newPasswordCheck })
  return c.html(passwordPage(c.var.email, changed.ok ? [] : changed.problems), changed.ok ? 200 : 422)
})

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => server.close())
