import type { Context } from 'koa'
import type { Answer, portcullis } from '../mail/portcullis.ts'
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
import { type Ceremony, passkeyPart } from './passkeys.ts'

export type Session = Readonly<{ token: string; expires_in: number }>
type Factor = Readonly<{ id: string; kind: string; name: string; created_at: string }>
type Factors = Readonly<{ factors: ReadonlyArray<Factor>; recovery_codes_left: number | null }>
type Started = Readonly<{ enrolment: string; secret: string; uri: string; expires_in: number }>
type Codes = Readonly<{ recovery_codes: ReadonlyArray<string> | null }>

export type FactorSettings = Readonly<{
  client: ReturnType<typeof portcullis>
  /** Encrypts the cookies: the private API key. */
  secret: string
  /** Puts the token of a session into its cookie. */
  keep: (ctx: Context, session: Session) => Promise<void>
}>

const BEGUN = { ok: true, data: {}, isBegun: true } as const
const TOO_LATE: Answer = {
  ok: false,
  status: 422,
  message: 'This took too long. Start again.',
  errors: [],
  retryAfter: 0,
}

/** The second factor: its forms, and the parts of the page that show them. */
export const secondFactors = ({ client, secret, keep }: FactorSettings) => {
  const { call, asApplication } = client
  /** The sign-in that waits for its second step. */
  const waiting = sealedCookie<{ token: string; methods: string }>(secret, 'waiting')
  /** The enrolment that waits for its first code. */
  const enrolment = sealedCookie<{ user: string; enrolment: string; secret: string; uri: string }>(
    secret,
    'enrolment',
  )

  /** For each form that sends a passkey, the request for the options. */
  const OPTIONS: Readonly<Record<string, (token: string) => Promise<Answer<Ceremony>>>> = {
    sign_in_passkey: () => asApplication('/auth/user/passkey', {}),
    prove_passkey: (token) => asApplication('/auth/user/second_factor/passkey', { body: { token } }),
    confirm_passkey: (token) => call('/profile/step_up/passkey', { token }),
    add_passkey: (token) => call('/profile/factors/passkey', { token }),
  }

  const open = async (ctx: Context, session: Session): Promise<void> => {
    await keep(ctx, session)
    waiting.clear(ctx)
  }
  const signIn: Run = async (body, _, ctx) => {
    const answer = await asApplication<Session>('/auth/user/token', { body, endUser: ctx.ip })
    if (answer.ok) await open(ctx, answer.data)
    if (answer.ok || answer.second_factor === undefined) return answer
    const { token, methods, expires_in } = answer.second_factor
    await waiting.write(ctx, { token, methods: methods.join(' ') }, expires_in)
    return BEGUN
  }
  const openWith = async (path: string, body: object, ctx: Context): Promise<Answer> => {
    const answer = await asApplication<Session>(path, { body, endUser: ctx.ip })
    if (answer.ok) await open(ctx, answer.data)
    return answer
  }
  const completeSignIn: Run = async (proof, _, ctx) => {
    const { token } = (await waiting.read(ctx)) ?? {}
    return token === undefined ? TOO_LATE : openWith('/auth/user/second_factor', { ...proof, token }, ctx)
  }
  const signInAlone: Run = (proof, _, ctx) => openWith('/auth/user/passkey/complete', proof, ctx)
  const stepUp: Run = async (proof, { token }, ctx) => {
    const answer = await call<Session>('/profile/step_up', { token, body: proof })
    if (answer.ok) await keep(ctx, answer.data)
    return answer
  }

  const complete =
    (kind: 'totp' | 'passkey'): Run =>
    async (body, { token }, ctx) => {
      const answer = await call<Session & Codes>(`/profile/factors/${kind}/complete`, { token, body })
      if (!answer.ok) return answer
      await keep(ctx, answer.data)
      return withCodes(answer, answer.data)
    }
  const start: Run = async (_, { token, id }, ctx) => {
    const answer = await call<Started>('/profile/factors/totp', { token })
    if (!answer.ok) return answer
    const { expires_in, ...started } = answer.data
    await enrolment.write(ctx, { ...started, user: id }, expires_in)
    return BEGUN
  }
  const enrol: Run = async (fields, user, ctx) => {
    const started = await enrolment.read(ctx)
    if (started === undefined) return TOO_LATE
    const answer = await complete('totp')({ ...fields, enrolment: started.enrolment }, user, ctx)
    if (answer.ok) enrolment.clear(ctx)
    return answer
  }
  /** Without a passkey it asks why there are no options. */
  const addPasskey: Run = async (fields, user, ctx) => {
    if (fields.credential) return complete('passkey')(fields, user, ctx)
    const answer = await call('/profile/factors/passkey', { token: user.token })
    return answer.ok ? BEGUN : answer
  }
  const renewCodes: Run = async (_, { token }) => {
    const answer = await call<Codes>('/profile/factors/recovery_codes', { token })
    return answer.ok ? withCodes(answer, answer.data) : answer
  }
  const rename: Run = (body, { token }) => call('/profile/factors/rename', { token, body })
  const remove: Run = (body, { token }) => call('/profile/factors/remove', { token, body })

  const TOTP = { totp: 'one-time-code' }
  const CODE = { recovery_code: 'off' }
  const NAME = { name: 'off' }
  /** For each method of Portcullis there is a form `prove_…` to sign in with, and `confirm_…` for a signed-in user. */
  const forms: Forms = {
    prove_totp: { who: 'part', title: 'Use the app', fields: TOTP, run: completeSignIn },
    sign_in_passkey: { who: 'part', title: 'Sign in with a passkey', run: signInAlone },
    prove_passkey: { who: 'part', title: 'Use a passkey', run: completeSignIn },
    prove_recovery_code: { who: 'part', title: 'Use a recovery code', fields: CODE, run: completeSignIn },
    confirm_password: {
      who: 'part',
      title: 'Confirm with the password',
      fields: { password: 'current-password' },
      run: stepUp,
    },
    confirm_totp: { who: 'part', title: 'Confirm with the app', fields: TOTP, run: stepUp },
    confirm_passkey: { who: 'part', title: 'Confirm with a passkey', run: stepUp },
    confirm_recovery_code: { who: 'part', title: 'Confirm with a recovery code', fields: CODE, run: stepUp },
    add_app: { who: 'part', title: 'Add an authenticator app', run: start },
    enrol_app: { who: 'part', title: 'Complete the app', fields: { ...TOTP, ...NAME }, run: enrol },
    add_passkey: { who: 'part', title: 'Add a passkey', fields: NAME, run: addPasskey },
    rename_factor: { who: 'part', title: 'Rename', fields: NAME, run: rename },
    remove_factor: { who: 'part', title: 'Remove', run: remove },
    new_codes: { who: 'part', title: 'New recovery codes', run: renewCodes },
  }
  const formOf = formsOf(forms)
  /** A form, with the options for the browser if it sends a passkey. */
  const partOf = async (name: string, token: string, failed?: Failed): Promise<Html> => {
    const options = await OPTIONS[name]?.(token)
    if (options === undefined) return formOf(name, failed)
    const method = name === 'add_passkey' ? 'create' : 'get'
    return passkeyPart(method, options, formOf(name, failed, ['credential', '']))
  }
  /** Skips methods without a form, because later versions of Portcullis add some. */
  const partsOf = async (names: ReadonlyArray<string>, token: string, failed?: Failed): Promise<Html> => {
    const known = names.filter((name) => Object.hasOwn(forms, name))
    return (await Promise.all(known.map((name) => partOf(name, token, failed)))).flat()
  }

  const listOf = async (token: string): Promise<Factors> => {
    const answer = await call<Factors>('/profile/factors', { method: 'GET', token })
    return answer.ok ? answer.data : { factors: [], recovery_codes_left: null }
  }
  const provableBy = ({ factors, recovery_codes_left }: Factors): ReadonlyArray<string> => {
    if (factors.length === 0) return ['password']
    return [...new Set(factors.map(({ kind }) => kind)), ...(recovery_codes_left ? ['recovery_code'] : [])]
  }

  return {
    forms,
    signIn,

    /** What a guest whose sign-in waits must do. */
    secondStep: async (ctx: Context, failed?: Failed): Promise<Html> => {
      const { token = '', methods } = (await waiting.read(ctx)) ?? {}
      if (methods === undefined) return []
      const names = methods.split(' ').map((method) => `prove_${method}`)
      return html`<h2>One more step</h2>${await partsOf(names, token, failed)}`
    },

    /** How a guest signs in with a passkey alone. */
    passkeySignIn: (failed?: Failed): Promise<Html> => partOf('sign_in_passkey', '', failed),

    /** The second factors of a user, below a proof that the user must give before a change. */
    part: async ({ token, id }: User, ctx: Context, failed?: Failed): Promise<Html> => {
      const list = await listOf(token)
      const mustConfirm =
        failed !== undefined && (isStale(failed.answer) || failed.name.startsWith('confirm_'))
      const proofs = mustConfirm ? provableBy(list).map((method) => `confirm_${method}`) : []
      const confirmation = html`<h2>Confirm that it is you</h2><p>Then repeat the change.</p>
        ${await partsOf(proofs, token, failed)}`
      const items = list.factors.flatMap((factor) => {
        const failedHere = failed?.input.factor_id === factor.id ? failed : undefined
        const changes = ['rename_factor', 'remove_factor'].flatMap((name) =>
          formOf(name, failedHere, ['factor_id', factor.id]),
        )
        return html`<li>${factor.name}, since ${factor.created_at} ${changes}</li>`
      })
      const started = await enrolment.read(ctx)
      const isStarted = started?.user === id
      const left = list.recovery_codes_left
      return html`${mustConfirm ? confirmation : ''}<h2>Second factors</h2><ul>${items}</ul>
        ${left === null ? '' : html`<p>Recovery codes left: ${String(left)}</p>${formOf('new_codes', failed)}`}
        ${isStarted ? [...secretOf(started), ...formOf('enrol_app', failed)] : ''}
        ${await partsOf(['add_app', 'add_passkey'], token, failed)}`
    },
  }
}

/** The session is live, so a 401 says that it is not fresh. A start of an e-mail confirmation says so of `user_token`. */
const isStale = ({ status, errors }: Failed['answer']): boolean =>
  status === 401 || errors.some(({ param }) => param === 'user_token')

const secretOf = ({ secret, uri }: Readonly<{ secret: string; uri: string }>): Html =>
  html`<p>Type this key into the app: <code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
    <p><a href="${uri}">Or open the app on this device</a></p>`

/** The page shows recovery codes once, in the response to the request that made them. */
const withCodes = (answer: Answer, { recovery_codes: codes }: Codes) =>
  codes === null
    ? answer
    : {
        ...answer,
        show: html`<h2>Your recovery codes</h2><p>Each replaces the app once. Save them now: they are not shown again.</p>
          <ul>${codes.flatMap((code) => html`<li><code>${code}</code></li>`)}</ul>
          <p><a href="/">I have saved them</a></p>`,
      }
