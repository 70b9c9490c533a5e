import express from 'express'
import { auth, port } from '../front-ends/auth.ts'
import { fail, requireSameOrigin, requireUser, type Signed } from './glue.ts'
import { mailLink } from './mails.ts'
import * as pages from './pages.ts'

const { ADMIN_ID } = process.env

const app = express().use(requireSameOrigin, express.urlencoded())

app.get('/sign_up', (_request, response) => response.send(pages.signUpPage()))
app.post('/sign_up', async ({ body: { email, password }, ip }, response) => {
  const answer = await auth.registerUser({ email, password }, { endUserAddress: ip })
  if (!answer.ok) return response.status(422).send(pages.signUpPage(answer.problems))
  return response.redirect(303, '/sign_in')
})

app.get('/sign_in', (_request, response) => response.send(pages.signInPage()))
app.post('/sign_in', async ({ body: { email, password, remember }, ip }, response) => {
  const credentials = { email, password, remember: remember === 'on' }
  const answer = await auth.signIn(credentials, { endUserAddress: ip })
  if (answer.ok) return response.append('Set-Cookie', await auth.cookies.keep(answer)).redirect(303, '/')
  if (answer.refusal !== 'second_factor') return response.status(422).send(pages.signInPage(answer.problems))
  const { token, expiresIn } = answer.secondFactor
  return response
    .append('Set-Cookie', await auth.cookies.seal('waiting', token, expiresIn))
    .send(pages.codePage())
})
app.post('/second_factor', async ({ body: { totp, recoveryCode }, headers, ip }, response) => {
  const token = await auth.cookies.open('waiting', headers.cookie)
  if (token === undefined) return response.redirect(303, '/sign_in')
  const answer = await auth.completeSignIn({ token, totp, recoveryCode }, { endUserAddress: ip })
  if (!answer.ok) return response.status(422).send(pages.codePage(answer.problems))
  return response
    .append('Set-Cookie', [await auth.cookies.keep(answer), auth.cookies.clear('waiting')])
    .redirect(303, '/')
})

app.get('/', requireUser, (_request, response: Signed) =>
  response.send(pages.homePage(response.locals.profile.email)),
)

app.get('/password', requireUser, (_request, response) => response.send(pages.changePage()))
app.post('/password', requireUser, async ({ body }, response: Signed) => {
  const { oldPassword, newPassword, newPasswordCheck } = body
  const answer = await response.locals.user.changePassword({ oldPassword, newPassword, newPasswordCheck })
  if (!answer.ok) return response.status(422).send(pages.changePage(answer.problems))
  return response.redirect(303, '/')
})

app.post('/sign_out', async ({ headers }, response) => {
  return response.append('Set-Cookie', await auth.cookies.signOut(headers.cookie)).redirect(303, '/sign_in')
})

app.get('/sessions', requireUser, async (_request, response: Signed) => {
  const answer = await response.locals.user.listSessions()
  return answer.ok ? response.send(pages.sessionsPage(answer)) : response.redirect(303, '/sign_in')
})
app.post('/sessions', requireUser, async ({ body: { sessionId } }, response: Signed) => {
  await response.locals.user.endSession({ sessionId })
  return response.redirect(303, '/sessions')
})

app.get('/forgotten', (_request, response) => response.send(pages.forgottenPage()))
app.post('/forgotten', async ({ body: { email }, ip }, response) => {
  const answer = await auth.startRecovery({ email }, { endUserAddress: ip })
  if (!answer.ok) return response.status(422).send(pages.forgottenPage(answer.problems))
  if (answer.token !== null && answer.email !== null) mailLink(answer.email, answer.token)
  return response.send(pages.SENT)
})
app.get('/recovery', ({ query: { token } }, response) => response.send(pages.recoveryPage(String(token))))
app.post('/recovery', async ({ body: { token, newPassword, newPasswordCheck } }, response) => {
  const answer = await auth.completeRecovery({ token, newPassword, newPasswordCheck })
  if (!answer.ok) return response.status(422).send(pages.recoveryPage(String(token), answer.problems))
  return response.redirect(303, '/sign_in')
})

app.get('/remove', requireUser, (_request, response) => response.send(pages.removePage()))
app.post('/remove', requireUser, async ({ body: { password } }, response: Signed) => {
  const answer = await response.locals.user.removeOwnAccount({ password })
  if (!answer.ok) return response.status(422).send(pages.removePage(answer.problems))
  return response.append('Set-Cookie', auth.cookies.clear()).redirect(303, '/sign_up')
})

app.get('/admin', requireUser, async (_request, response: Signed) => {
  if (response.locals.profile.id !== ADMIN_ID) return response.sendStatus(404)
  const users = []
  for await (const user of auth.users()) users.push(user)
  return response.send(pages.usersPage(users))
})

app.use(fail)
const server = app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
process.once('SIGTERM', () => server.close())
