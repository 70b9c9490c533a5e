import Koa, { type Context } from 'koa'
import getRawBody from 'raw-body'
import { accountMail } from '../mail/mail.ts'
import { type Answer, portcullis } from '../mail/portcullis.ts'
import { sealer } from '../mail/sealed.ts'

const { PORT = '3000', SITE: site = `http://127.0.0.1:${PORT}`, TRUST_PROXY } = process.env
const { PORTCULLIS_URL: portcullisUrl = 'http://127.0.0.1:8080', PUBLIC_API_KEY = '' } = process.env
const { PRIVATE_API_KEY = '', MAILER_PUBLIC_API_KEY = '', MAILER_PRIVATE_API_KEY = '' } = process.env
const { SMTP_URL: smtpUrl = 'smtp://127.0.0.1:2525', CONTACT: contact = 'help@example.com' } = process.env

const keysOf = (public_api_key: string, private_api_key: string) => ({ public_api_key, private_api_key })
const { call, asApplication } = portcullis(portcullisUrl, keysOf(PUBLIC_API_KEY, PRIVATE_API_KEY))
const keys = keysOf(MAILER_PUBLIC_API_KEY, MAILER_PRIVATE_API_KEY)
const report = (why: string) => process.stderr.write(`A mail was not sent: ${why}\n`)
const mail = accountMail({ portcullisUrl, keys, smtpUrl, from: contact, contact, site, report })

type Input = Readonly<Record<string, string>>
type User = Readonly<{ token: string; id: string; email: string }>
type Sessions = Readonly<{ sessions: ReadonlyArray<{ id: string; created_at: string; current: boolean }> }>
type Run = (input: Input, user: User, ctx: Context) => Promise<Answer>
type Form = Readonly<{ who: 'guest' | 'user' | 'session' | 'link'; title: string; fields?: Input; run: Run }>
type Failed = Readonly<{ name: string; input: Input; answer: Exclude<Answer, { ok: true }> }>

/** The cookie is the user token, encrypted: no script can read it, and this program stores nothing. */
const cookies = sealer<{ token: string }>(PRIVATE_API_KEY, 'session cookie')
const setCookie = (ctx: Context, value: string, age: number): void =>
  ctx.set('Set-Cookie', `__Host-session=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${age}`)

const signIn: Run = async (body, _, ctx) => {
  const request = { body, endUser: ctx.ip }
  const answer = await asApplication<{ token: string; expires_in: number }>('/auth/user/token', request)
  if (!answer.ok) return answer
  const { token, expires_in } = answer.data
  setCookie(ctx, await cookies.seal({ token }, expires_in), expires_in)
  return answer
}
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
const changeEmail: Run = ({ email = '', password = '' }, { id }) =>
  mail.startEmail({ user_id: id, email, password })
const signOut: Run = (_, { token }) => call('/auth/user/token', { method: 'DELETE', token })
const recover: Run = async ({ email = '' }, _, ctx) => mail.startRecovery(email, ctx.ip)
const setPassword: Run = ({ link = '', ...passwords }) => mail.completeRecovery(link, passwords)

const KNOWN = { email: 'username', password: 'current-password' }
const FIRST = { email: 'username', password: 'new-password' }
const NEW = { new_password: 'new-password', new_password_check: 'new-password' }
const CHANGE = { old_password: 'current-password', ...NEW }
/** The forms by path. Fields have the names that Portcullis uses, and their `autocomplete`. */
const FORMS: Readonly<Record<string, Form>> = {
  sign_in: { who: 'guest', title: 'Sign in', fields: KNOWN, run: signIn },
  register: { who: 'guest', title: 'Register', fields: FIRST, run: register },
  forgotten: { who: 'guest', title: 'Forgotten password', fields: { email: 'username' }, run: recover },
  recovery: { who: 'link', title: 'Set a new password', fields: NEW, run: setPassword },
  email: { who: 'link', title: 'Confirm your e-mail', run: ({ link = '' }) => mail.completeEmail(link) },
  end_session: { who: 'session', title: 'End session', run: asUser('/profile/sessions/end') },
  change_password: { who: 'user', title: 'Change password', fields: CHANGE, run: changePassword },
  change_email: { who: 'user', title: 'Change e-mail', fields: KNOWN, run: changeEmail },
  sign_out: { who: 'user', title: 'Sign out', run: signOut },
  remove: { who: 'user', title: 'Delete account', fields: { password: 'current-password' }, run: remove },
}

/** HTML as a list of parts. A string that `html` inserts is text, and is escaped. */
type Html = ReadonlyArray<string>
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
const html = (fixed: TemplateStringsArray, ...parts: ReadonlyArray<string | Html>): Html => [
  String.raw({ raw: fixed }, ...parts.map((one) => (typeof one === 'string' ? escaped(one) : one.join('')))),
]

/** A form with each problem of a refused request at its field. It keeps a typed e-mail, and no password. */
const formOf = (name: string, failed?: Failed, [key, value]: readonly [string, string] = ['', '']): Html => {
  const { title = '', fields = {} } = FORMS[name] ?? {}
  const { answer, input } = failed?.name === name ? failed : {}
  const problemOf = (field: string) => answer?.errors.find(({ param }) => param === field)?.message ?? ''
  const inputs = Object.entries(fields).flatMap(([field, autocomplete]) => {
    const [type, kept] = field === 'email' ? ['email', input?.email ?? ''] : ['password', '']
    return html`<p><label>${field.replaceAll('_', ' ')} <input name="${field}" type="${type}" value="${kept}"
      autocomplete="${autocomplete}" aria-describedby="${name}-${field}"></label>
      <strong id="${name}-${field}">${problemOf(field)}</strong></p>`
  })
  return html`<form method="post" action="/${name}"><h2>${title}</h2><p role="alert">${problemOf('token')}</p>
    <input type="hidden" name="${key}" value="${value}">${inputs}<button>${title}</button></form>`
}
const sessionsOf = async ({ email, token }: User): Promise<Html> => {
  const answer = await call<Sessions>('/profile/sessions', { method: 'GET', token })
  const sessions = (answer.ok ? answer.data.sessions : []).flatMap(({ id, created_at, current }) => {
    const end = current ? html`(this one)` : formOf('end_session', undefined, ['session_id', id])
    return html`<li>${created_at} ${end}</li>`
  })
  return html`<p>You are signed in as ${email}.</p><ul>${sessions}</ul>`
}

const app = new Koa({ proxy: TRUST_PROXY === '1', maxIpsCount: 1 })
app.use(async (ctx) => {
  ctx.set({
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  const name = ctx.path.slice(1)
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  if (ctx.method === 'POST' ? !form : ctx.method !== 'GET' || (name !== '' && form?.who !== 'link')) return
  const cookie = ctx.cookies.get('__Host-session') ?? ''
  const { token = '' } = (await cookies.open(cookie)) ?? {}
  const profile = token === '' ? undefined : await call<User>('/profile', { method: 'GET', token })
  if (profile && !profile.ok && profile.status !== 401) ctx.throw(503)
  const user = profile?.ok ? { ...profile.data, token } : undefined
  if (cookie !== '' && !user) setCookie(ctx, '', 0)

  let failed: Failed | undefined
  if (ctx.method === 'POST' && form) {
    const from = ctx.get('Sec-Fetch-Site')
    if (from === '' ? ctx.get('Origin') !== site : from !== 'same-origin') ctx.throw(403)
    const body = await getRawBody(ctx.req, { limit: '16kb', encoding: 'utf8' })
    const input = Object.fromEntries(new URLSearchParams(body))
    const answer = await form.run(input, user ?? { token: '', id: '', email: '' }, ctx)
    ctx.status = answer.ok ? 303 : answer.status
    if (answer.ok) return ctx.redirect(`/?done=${name}`)
    failed = { name, input, answer }
  }
  const who = user ? 'user' : 'guest'
  const names = Object.keys(FORMS).filter((one) => FORMS[one]?.who === who)
  const link = ['link', failed?.input.link ?? String(ctx.query.link)] as const
  const main = form?.who === 'link' ? formOf(name, failed, link) : names.flatMap((one) => formOf(one, failed))
  const done = FORMS[String(ctx.query.done)]?.title
  const wait = failed?.answer.retryAfter ? ` Wait ${failed.answer.retryAfter} seconds.` : ''
  ctx.type = 'html'
  ctx.body = html`<!doctype html><html lang="en"><title>Example</title><h1>Example</h1>
    <p role="alert">${failed?.answer.message ?? ''}${wait}</p>
    <p role="status">${done ? `Done: ${done}. If it needs a mail, look into your mailbox.` : ''}</p>
    ${user ? await sessionsOf(user) : ''}${main}</html>`.join('')
})
const server = app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${site}\n`))
process.once('SIGTERM', () => server.close(() => mail.close()))
