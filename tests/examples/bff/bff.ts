import Koa, { type Context } from 'koa'
import getRawBody from 'raw-body'
import { accountMail } from '../mail/mail.ts'
import { portcullis } from '../mail/portcullis.ts'
import {
  type Failed,
  type Forms,
  formsOf,
  type Html,
  html,
  type Run,
  sealedCookie,
  type User,
} from './browser.ts'
import { type Session, secondFactors } from './factors.ts'
import { scriptFor } from './passkeys.ts'

const { PORT = '3000', SITE: site = `http://localhost:${PORT}`, TRUST_PROXY } = process.env
const { PORTCULLIS_URL: portcullisUrl = 'http://127.0.0.1:8080', PUBLIC_API_KEY = '' } = process.env
const { PRIVATE_API_KEY = '', MAILER_PUBLIC_API_KEY = '', MAILER_PRIVATE_API_KEY = '' } = process.env
const { SMTP_URL: smtpUrl = 'smtp://127.0.0.1:2525', CONTACT: contact = 'help@example.com' } = process.env

const keysOf = (public_api_key: string, private_api_key: string) => ({ public_api_key, private_api_key })
const client = portcullis(portcullisUrl, keysOf(PUBLIC_API_KEY, PRIVATE_API_KEY))
const { call, asApplication } = client
const keys = keysOf(MAILER_PUBLIC_API_KEY, MAILER_PRIVATE_API_KEY)
const report = (why: string) => process.stderr.write(`A mail was not sent: ${why}\n`)
const mail = accountMail({ portcullisUrl, keys, smtpUrl, from: contact, contact, site, report })

type Sessions = Readonly<{ sessions: ReadonlyArray<{ id: string; created_at: string; current: boolean }> }>

/** The cookie is the user token, encrypted. */
const session = sealedCookie<{ token: string }>(PRIVATE_API_KEY, 'session')
const keep = (ctx: Context, { token, expires_in }: Session) => session.write(ctx, { token }, expires_in)
const factors = secondFactors({ client, secret: PRIVATE_API_KEY, keep })

const register: Run = async (body, _, ctx) => {
  const answer = await asApplication<User>('/users', { body, endUser: ctx.ip })
  return answer.ok ? mail.startEmail({ user_id: answer.data.id, email: answer.data.email }) : answer
}
/** Sends the fields with the user’s token, and after a success a notification. */
const asUser =
  (path: string, notify = (_email: string): void => {}): Run =>
  async (body, { token, email }) => {
    const answer = await call(path, { token, body })
    if (answer.ok) notify(email)
    return answer
  }
const changePassword = asUser('/profile/change_password', mail.passwordChanged)
const remove = asUser('/profile/remove', mail.accountRemoved)
const changeEmail: Run = ({ email = '', password = '' }, { id, token }) =>
  mail.startEmail({ user_id: id, email, password, user_token: token })
const signOut: Run = (_, { token }) => call('/auth/user/token', { method: 'DELETE', token })
const recover: Run = async ({ email = '' }, _, ctx) => mail.startRecovery(email, ctx.ip)
const setPassword: Run = ({ link = '', ...passwords }) => mail.completeRecovery(link, passwords)

const KNOWN = { email: 'username', password: 'current-password' }
const FIRST = { email: 'username', password: 'new-password' }
const NEW = { new_password: 'new-password', new_password_check: 'new-password' }
const CHANGE = { old_password: 'current-password', ...NEW }
/** The forms by path. Fields have the names that Portcullis uses, and their `autocomplete`. */
const FORMS: Forms = {
  sign_in: { who: 'guest', title: 'Sign in', fields: KNOWN, run: factors.signIn },
  register: { who: 'guest', title: 'Register', fields: FIRST, run: register },
  forgotten: { who: 'guest', title: 'Forgotten password', fields: { email: 'username' }, run: recover },
  recovery: { who: 'link', title: 'Set a new password', fields: NEW, run: setPassword },
  email: { who: 'link', title: 'Confirm your e-mail', run: ({ link = '' }) => mail.completeEmail(link) },
  end_session: { who: 'part', title: 'End session', run: asUser('/profile/sessions/end') },
  change_password: { who: 'user', title: 'Change password', fields: CHANGE, run: changePassword },
  change_email: { who: 'user', title: 'Change e-mail', fields: KNOWN, run: changeEmail },
  sign_out: { who: 'user', title: 'Sign out', run: signOut },
  remove: { who: 'user', title: 'Delete account', fields: { password: 'current-password' }, run: remove },
  ...factors.forms,
}
const formOf = formsOf(FORMS)
const sessionsOf = async ({ email, token }: User): Promise<Html> => {
  const answer = await call<Sessions>('/profile/sessions', { method: 'GET', token })
  const sessions = (answer.ok ? answer.data.sessions : []).flatMap(({ id, created_at, current }) => {
    const end = current ? html`(this one)` : formOf('end_session', undefined, ['session_id', id])
    return html`<li>${created_at} ${end}</li>`
  })
  return html`<p>You are signed in as ${email}.</p><ul>${sessions}</ul>`
}

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const app = new Koa({ proxy: TRUST_PROXY === '1', maxIpsCount: 1 })
app.use(async (ctx) => {
  ctx.set({
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  const name = ctx.path.slice(1)
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  if (ctx.method === 'POST' ? !form : ctx.method !== 'GET' || (name !== '' && form?.who !== 'link')) return
  const { token = '' } = (await session.read(ctx)) ?? {}
  const profile = token === '' ? undefined : await call<User>('/profile', { method: 'GET', token })
  if (profile && !profile.ok && profile.status !== 401) ctx.throw(503)
  const user = profile?.ok ? { ...profile.data, token } : undefined

  let failed: Failed | undefined
  let shown: Html | undefined
  if (ctx.method === 'POST' && form) {
    const from = ctx.get('Sec-Fetch-Site')
    if (from === '' ? ctx.get('Origin') !== site : from !== 'same-origin') ctx.throw(403)
    const body = await getRawBody(ctx.req, { limit: '16kb', encoding: 'utf8' })
    const input = Object.fromEntries(new URLSearchParams(body))
    const answer = await form.run(input, user ?? { token: '', id: '', email: '' }, ctx)
    if (answer.ok && !answer.show) {
      ctx.status = 303
      return ctx.redirect(answer.isBegun ? '/' : `/?done=${name}`)
    }
    ctx.status = answer.ok ? 200 : answer.status
    if (answer.ok) shown = answer.show
    else failed = { name, input, answer }
  }
  const who = user ? 'user' : 'guest'
  const names = Object.keys(FORMS).filter((one) => FORMS[one]?.who === who)
  const link = ['link', failed?.input.link ?? String(ctx.query.link)] as const
  const all = async () => [
    ...(user ? [] : await factors.passkeySignIn(failed)),
    ...names.flatMap((one) => formOf(one, failed)),
  ]
  const main = form?.who === 'link' ? formOf(name, failed, link) : await all()
  if (!user) session.clear(ctx)
  const parts = user
    ? [...(await sessionsOf(user)), ...(await factors.part(user, ctx, failed))]
    : await factors.secondStep(ctx, failed)
  const page = shown ?? [...parts, ...main]
  const { policy, script } = scriptFor(page)
  ctx.set('Content-Security-Policy', `${POLICY}${policy}`)
  const done = FORMS[String(ctx.query.done)]?.title
  const wait = failed?.answer.retryAfter ? ` Wait ${failed.answer.retryAfter} seconds.` : ''
  ctx.type = 'html'
  ctx.body = html`<!doctype html><html lang="en"><title>Example</title><h1>Example</h1>
    <p role="alert">${failed?.answer.message ?? ''}${wait}</p>
    <p role="status">${done ? `Done: ${done}. If it needs a mail, look into your mailbox.` : ''}</p>
    ${page}${script}</html>`.join('')
})
const server = app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${site}\n`))
process.once('SIGTERM', () => server.close(() => mail.close()))
