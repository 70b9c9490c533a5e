import { portcullis } from 'portcullis-client'
import { accountMail } from '../mail/mail.ts'
import { type Forms, formsOf, type Run, type Site, serveForms } from './browser.ts'
import { secondFactors } from './factors.ts'
import { scriptFor } from './passkeys.ts'
import { sessions } from './sessions.ts'

const { PORT = '3000', SITE: site = `http://localhost:${PORT}`, TRUST_PROXY } = process.env
const { PORTCULLIS_URL: url = 'http://127.0.0.1:8080', PUBLIC_API_KEY: publicApiKey = '' } = process.env
const { PRIVATE_API_KEY: privateApiKey = '', MAILER_PUBLIC_API_KEY = '' } = process.env
const { MAILER_PRIVATE_API_KEY = '', CONTACT: contact = 'help@example.com' } = process.env
const { SMTP_URL: smtpUrl = 'smtp://127.0.0.1:2525' } = process.env

const auth = portcullis({ url, publicApiKey, privateApiKey })
const keys = { publicApiKey: MAILER_PUBLIC_API_KEY, privateApiKey: MAILER_PRIVATE_API_KEY }
const report = (why: string) => process.stderr.write(`A mail was not sent: ${why}\n`)
const mail = accountMail({ portcullisUrl: url, keys, smtpUrl, from: contact, contact, site, report })

const session = sessions(auth)
const factors = secondFactors(auth)

const register: Run = async ({ email, password }, _, ctx) => {
  const answer = await auth.registerUser({ email, password }, { endUserAddress: ctx.ip })
  return answer.ok ? mail.startEmail({ userId: answer.id, email: answer.email }) : answer
}
const changePassword: Run = async ({ oldPassword, newPassword, newPasswordCheck }, { email, user }) => {
  const answer = await user.changePassword({ oldPassword, newPassword, newPasswordCheck })
  if (answer.ok) mail.passwordChanged(email)
  return answer
}
const remove: Run = async ({ password }, { email, user }) => {
  const answer = await user.removeOwnAccount({ password })
  if (answer.ok) mail.accountRemoved(email)
  return answer
}
const changeEmail: Run = ({ email, password }, { id, token }) =>
  mail.startEmail({ userId: id, email, password, userToken: token })
const recover: Run = async ({ email }, _, ctx) => mail.startRecovery(email, ctx.ip)
const setPassword: Run = ({ link = '', newPassword, newPasswordCheck }) =>
  mail.completeRecovery(link, { newPassword, newPasswordCheck })

const KNOWN = { email: 'username', password: 'current-password' }
const FIRST = { email: 'username', password: 'new-password' }
const NEW = { newPassword: 'new-password', newPasswordCheck: 'new-password' }
const CHANGE = { oldPassword: 'current-password', ...NEW }
/** The forms by path. Fields have the names that the client uses, and their `autocomplete`. */
const FORMS: Forms = {
  sign_in: { who: 'guest', title: 'Sign in', fields: { ...KNOWN, remember: 'off' }, run: factors.signIn },
  register: { who: 'guest', title: 'Register', fields: FIRST, run: register },
  forgotten: { who: 'guest', title: 'Forgotten password', fields: { email: 'username' }, run: recover },
  recovery: { who: 'link', title: 'Set a new password', fields: NEW, run: setPassword },
  email: { who: 'link', title: 'Confirm your e-mail', run: ({ link = '' }) => mail.completeEmail(link) },
  end_session: {
    who: 'part',
    title: 'End session',
    run: ({ sessionId }, { user }) => user.endSession({ sessionId }),
  },
  change_password: { who: 'user', title: 'Change password', fields: CHANGE, run: changePassword },
  change_email: { who: 'user', title: 'Change e-mail', fields: KNOWN, run: changeEmail },
  sign_out: { who: 'user', title: 'Sign out', run: (_, { user }) => user.signOut() },
  remove: { who: 'user', title: 'Delete account', fields: { password: 'current-password' }, run: remove },
  ...factors.forms,
}
const formOf = formsOf(FORMS)
const pageOf: Site['pageOf'] = async (ctx, user, name, failed) => {
  const isGuest = user.token === ''
  const parts = isGuest
    ? await factors.secondStep(ctx, failed)
    : [...(await session.part(user, formOf)), ...(await factors.part(user, ctx, failed))]
  const link = failed?.input.link ?? String(ctx.query.link)
  if (FORMS[name]?.who === 'link') return [...parts, ...formOf(name, failed, ['link', link])]
  const who = isGuest ? 'guest' : 'user'
  const names = Object.keys(FORMS).filter((one) => FORMS[one]?.who === who)
  const passkey = isGuest ? await factors.passkeySignIn(failed) : []
  return [...parts, ...passkey, ...names.flatMap((one) => formOf(one, failed))]
}

const isBehindProxy = TRUST_PROXY === '1'
const app = serveForms({ forms: FORMS, url: site, isBehindProxy, userOf: session.userOf, pageOf, scriptFor })
const server = app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${site}\n`))
process.once('SIGTERM', () => server.close(() => mail.close()))
