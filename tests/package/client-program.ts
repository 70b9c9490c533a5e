import { PortcullisUnavailable, portcullis } from 'portcullis-client'

/**
 * A program that uses `portcullis-client`. The tests run it on every runtime, and compare what it prints: one line of JSON.
 * Its only argument is JSON.
 */
export type Given = Readonly<{
  /** A service whose user tokens are PASETO, and one whose user tokens are JWT. */
  paseto: Place
  jwt: Place
  /** Every first request there finds no answer, and every second one a 503. */
  outageUrl: string
  /** Nothing answers there. */
  silentUrl: string
  /** A redirect. */
  movedUrl: string
  /** The code that the user's app shows. */
  totp: string
}>

export type Place = Readonly<{
  url: string
  issuer: string
  publicApiKey: string
  privateApiKey: string
  email: string
  password: string
  /** A user with a second factor. */
  factorEmail: string
}>

const { paseto, jwt, totp, ...urls }: Given = JSON.parse(process.argv[2] ?? '')
const said: Record<string, unknown> = {}

const auth = portcullis(paseto)
const { email, password, factorEmail } = paseto
const at = (url: string) => portcullis({ ...paseto, url })

const signedIn = await auth.signIn({ email, password, label: 'a program' }, { endUserAddress: '192.0.2.1' })
if (!signedIn.ok) throw new Error(signedIn.problems[0].message)
const mine = auth.user(signedIn.token)
said.profile = await mine.getProfile().then((profile) => profile.ok && profile.email === email)

const refused = await auth.signIn({ email, password: 'wrong' })
said.wrongPassword = refused.ok || refused.problems.map(({ field, reason, code }) => [field, reason, code])

const due = await auth.signIn({ email: factorEmail, password })
if (due.ok || due.refusal !== 'second_factor') throw new Error('no second factor is due')
const { token, methods } = due.secondFactor
said.methods = methods
const completed = await auth.completeSignIn({ token, totp })
said.secondFactor = completed.ok && [completed.acr, completed.amr]

const wrong = await mine.changePassword({
  oldPassword: 'wrong',
  newPassword: undefined,
  newPasswordCheck: undefined,
})
said.problems = wrong.ok || wrong.problems.map(({ field, reason }) => [field, reason])
const newPassword = 'ü and another horse'
const changed = await mine.changePassword({
  oldPassword: password,
  newPassword,
  newPasswordCheck: newPassword,
})
said.changed = changed.ok && (await auth.signIn({ email, password: newPassword })).ok

const verified = await auth.verify(signedIn.token)
said.paseto = verified.ok && verified.userId === signedIn.userId
const forged = `${signedIn.token.slice(0, -2)}${signedIn.token.endsWith('AA') ? 'BB' : 'AA'}`
said.forged = await auth.verify(forged).then((result) => result.ok || result.refusal)
const other = portcullis(jwt)
const signedInThere = await other.signIn({ email: jwt.email, password: jwt.password })
if (!signedInThere.ok) throw new Error(signedInThere.problems[0].message)
const verifiedThere = await other.verify(signedInThere.token)
said.jwt = verifiedThere.ok && verifiedThere.userId === signedInThere.userId
said.ofAnother = await auth.verify(signedInThere.token).then((result) => result.ok || result.refusal)

const types: Array<string> = []
for await (const event of auth.events({ types: ['UserSignedIn', 'PasswordChanged'] })) {
  types.push(event.data.type)
  if (event.data.type === 'PasswordChanged') break
}
said.events = types.at(-1)

const policy = await at(urls.outageUrl).getPasswordPolicy()
said.repeated = policy.ok && policy.policy
const lost = await failureOf(
  at(urls.outageUrl).completeRecovery({ token, newPassword, newPasswordCheck: '' }),
)
said.lost = lost instanceof PortcullisUnavailable && [lost.outcome, lost.status ?? null]

const controller = new AbortController()
const aborted = failureOf(at(urls.silentUrl).getPasswordPolicy({ signal: controller.signal }))
controller.abort(new Error('enough'))
said.aborted = (await aborted) === controller.signal.reason

const late = await failureOf(portcullis({ ...paseto, url: urls.silentUrl, timeout: 100 }).getPasswordPolicy())
said.late = late instanceof PortcullisUnavailable && late.outcome
const moved = await failureOf(at(urls.movedUrl).getPasswordPolicy())
said.moved = moved instanceof PortcullisUnavailable && [moved.outcome, moved.status ?? null]

process.stdout.write(`${JSON.stringify(said)}\n`)

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}
