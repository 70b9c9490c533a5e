import fastify, { type preHandlerAsyncHookHandler } from 'fastify'
import { PortcullisUnavailable, type UserMethods } from 'portcullis-client'
import { auth, port, redirectUriOf } from './auth.ts'
import { passwordPage, SORRY, signInPage } from './pages.ts'

type Form = { Body: Readonly<Record<string, string | undefined>> }
type Provider = { Params: { provider: string } }
type User = Readonly<{ user: UserMethods; email: string }>

/** Admits signed-in users, and renews their sessions. */
const requireUser: preHandlerAsyncHookHandler = async (request, reply) => {
  const { user, profile, setCookies } = await auth.cookies.visitor(request.headers.cookie)
  reply.header('Set-Cookie', setCookies).header('Cache-Control', 'no-store')
  if (!profile) return reply.redirect('/sign_in', 303)
  request.setDecorator<User>('user', { user, email: profile.email })
}

const app = fastify().decorateRequest('user')
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  async (_: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
)
app.addHook('onRequest', async (request, reply) => {
  reply.type('text/html; charset=utf-8')
  // A form of another site is refused.
  if (request.method !== 'GET' && request.headers['sec-fetch-site'] !== 'same-origin')
    return reply.code(403).send()
})
app.setErrorHandler((error, _request, reply) =>
  error instanceof PortcullisUnavailable ? reply.code(503).send(SORRY) : reply.send(error),
)

app.get('/sign_in', async () => signInPage())
app.post<Form>('/sign_in', async ({ body: { email, password, remember }, ip }, reply) => {
  const signedIn = await auth.signIn({ email, password, remember: remember === 'on' }, { endUserAddress: ip })
  if (!signedIn.ok) return reply.code(422).send(signInPage(signedIn.problems))
  return reply.header('Set-Cookie', await auth.cookies.keep(signedIn)).redirect('/', 303)
})

app.post<Provider>('/sign_in/:provider', async ({ params: { provider }, headers }, reply) => {
  const redirectUri = redirectUriOf(provider)
  const started = await auth.cookies.startIdentity({ provider, redirectUri }, headers.cookie)
  if (!started.ok) return reply.code(422).send(signInPage(started.problems))
  return reply.header('Set-Cookie', started.setCookies).redirect(started.url, 303)
})
app.get<Provider>('/back/:provider', async ({ params: { provider }, url, headers, ip }, reply) => {
  const options = { endUserAddress: ip }
  const signedIn = await auth.cookies.completeIdentity({ provider, url }, headers.cookie, options)
  reply.header('Set-Cookie', signedIn.setCookies)
  if (!signedIn.ok) return reply.code(422).send(signInPage(signedIn.problems))
  return reply.redirect('/', 303)
})

app.get('/', { preHandler: requireUser }, async (request) =>
  passwordPage(request.getDecorator<User>('user').email),
)
app.post<Form>('/', { preHandler: requireUser }, async (request, reply) => {
  const { user, email } = request.getDecorator<User>('user')
  const { oldPassword, newPassword, newPasswordCheck } = request.body
  const changed = await user.changePassword({ oldPassword, newPassword, newPasswordCheck })
  return reply.code(changed.ok ? 200 : 422).send(passwordPage(email, changed.ok ? [] : changed.problems))
})

process.stdout.write(`${await app.listen({ port, host: '127.0.0.1' })}\n`)
process.once('SIGTERM', () => app.close())
