import type { Context } from 'koa'
import type { ListFactorsAnswer, Portcullis, UserResult } from 'portcullis-client'
import {
  type Failed,
  type Forms,
  failure,
  formsOf,
  type Html,
  html,
  type Run,
  sealedCookie,
  type User,
} from './browser.ts'
import { type Ceremony, passkeyPart } from './passkeys.ts'
import type { Session } from './sessions.ts'

export type FactorSettings = Readonly<{
  auth: Portcullis
  /** Encrypts the cookies: the private API key. */
  secret: string
  /** Puts the token of a session into its cookie. */
  keep: (ctx: Context, session: Session) => Promise<void>
}>

const BEGUN = { ok: true, isBegun: true } as const
const TOO_LATE = failure('This took too long. Start again.')

/** The second factor: its forms, and the parts of the page that show them. */
export const secondFactors = ({ auth, secret, keep }: FactorSettings) => {
  /** The sign-in that waits for its second step. */
  const waiting = sealedCookie<{ token: string; methods: string }>(secret, 'waiting')
  /** The enrolment that waits for its first code. */
  const enrolment = sealedCookie<{ user: string; enrolment: string; secret: string; uri: string }>(
    secret,
    'enrolment',
  )

  /** For each form that sends a passkey, the request for the options. */
  const OPTIONS: Readonly<Record<string, (token: string) => Promise<UserResult<Ceremony>>>> = {
    sign_in_passkey: () => auth.startPasskeySignIn(),
    prove_passkey: (token) => auth.startPasskeySecondStep({ token }),
    confirm_passkey: (token) => auth.user(token).startPasskeyStepUp(),
    add_passkey: (token) => auth.user(token).startPasskeyEnrolment(),
  }

  const kept = async <Answer extends Session>(
    ctx: Context,
    answer: UserResult<Answer>,
  ): Promise<UserResult<Answer>> => {
    if (answer.ok) await keep(ctx, answer)
    return answer
  }
  const opened = async (ctx: Context, answer: UserResult<Session>): Promise<UserResult<Session>> => {
    if (answer.ok) waiting.clear(ctx)
    return kept(ctx, answer)
  }
  const signIn: Run = async ({ email, password, remember }, _, ctx) => {
    const known = { email, password, remember: remember !== undefined } // a box that is not ticked is not sent
    const answer = await auth.signIn(known, { endUserAddress: ctx.ip })
    if (answer.ok || answer.refusal !== 'second_factor') return opened(ctx, answer)
    const { token, methods, expiresIn } = answer.secondFactor
    await waiting.write(ctx, { token, methods: methods.join(' ') }, expiresIn)
    return BEGUN
  }
  const completeSignIn: Run = async (proof, _, ctx) => {
    const { token } = (await waiting.read(ctx)) ?? {}
    if (token === undefined) return TOO_LATE
    return opened(ctx, await auth.completeSignIn({ ...proof, token }, { endUserAddress: ctx.ip }))
  }
  const signInAlone: Run = async ({ credential }, _, ctx) =>
    opened(ctx, await auth.completePasskeySignIn({ credential }, { endUserAddress: ctx.ip }))
  const stepUp: Run = async (proof, { methods }, ctx) => kept(ctx, await methods.stepUp(proof))

  const start: Run = async (_, { id, methods }, ctx) => {
    const answer = await methods.startTotpEnrolment()
    if (!answer.ok) return answer
    const { enrolment: state, secret, uri, expiresIn } = answer
    await enrolment.write(ctx, { enrolment: state, secret, uri, user: id }, expiresIn)
    return BEGUN
  }
  const enrol: Run = async ({ totp, name }, { methods }, ctx) => {
    const started = await enrolment.read(ctx)
    if (started === undefined) return TOO_LATE
    const answer = await methods.completeTotpEnrolment({ enrolment: started.enrolment, totp, name })
    if (answer.ok) enrolment.clear(ctx)
    return withCodes(await kept(ctx, answer))
  }
  /** Without a passkey it asks why there are no options. */
  const addPasskey: Run = async ({ credential, name }, { methods }, ctx) => {
    if (credential)
      return withCodes(await kept(ctx, await methods.completePasskeyEnrolment({ credential, name })))
    const answer = await methods.startPasskeyEnrolment()
    return answer.ok ? BEGUN : answer
  }
  const renewCodes: Run = async (_, { methods }) => withCodes(await methods.renewRecoveryCodes())
  const rename: Run = ({ factorId, name }, { methods }) => methods.renameFactor({ factorId, name })
  const remove: Run = ({ factorId }, { methods }) => methods.removeFactor({ factorId })

  const TOTP = { totp: 'one-time-code' }
  const CODE = { recoveryCode: 'off' }
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
    const start = OPTIONS[name]
    if (start === undefined) return formOf(name, failed)
    const method = name === 'add_passkey' ? 'create' : 'get'
    // Without passkeys, the service refuses the request.
    const options = await start(token).catch(() => undefined)
    return options ? passkeyPart(method, options, formOf(name, failed, ['credential', ''])) : []
  }
  /** Skips methods without a form, because later versions of Portcullis add some. */
  const partsOf = async (names: ReadonlyArray<string>, token: string, failed?: Failed): Promise<Html> => {
    const known = names.filter((name) => Object.hasOwn(forms, name))
    return (await Promise.all(known.map((name) => partOf(name, token, failed)))).flat()
  }

  const provableBy = ({ factors, recoveryCodesLeft }: ListFactorsAnswer): ReadonlyArray<string> => {
    if (factors.length === 0) return ['password']
    return [...new Set(factors.map(({ kind }) => kind)), ...(recoveryCodesLeft ? ['recovery_code'] : [])]
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
    part: async ({ token, id, methods }: User, ctx: Context, failed?: Failed): Promise<Html> => {
      const list = await methods.listFactors()
      if (!list.ok) return []
      const mustConfirm =
        failed !== undefined && (isStale(failed.answer) || failed.name.startsWith('confirm_'))
      const proofs = mustConfirm ? provableBy(list).map((method) => `confirm_${method}`) : []
      const confirmation = html`<h2>Confirm that it is you</h2><p>Then repeat the change.</p>
        ${await partsOf(proofs, token, failed)}`
      const items = list.factors.flatMap((factor) => {
        const failedHere = failed?.input.factorId === factor.id ? failed : undefined
        const changes = ['rename_factor', 'remove_factor'].flatMap((name) =>
          formOf(name, failedHere, ['factorId', factor.id]),
        )
        return html`<li>${factor.name}, since ${factor.createdAt} ${changes}</li>`
      })
      const started = await enrolment.read(ctx)
      const isStarted = started?.user === id
      const left = list.recoveryCodesLeft
      return html`${mustConfirm ? confirmation : ''}<h2>Second factors</h2><ul>${items}</ul>
        ${left === null ? '' : html`<p>Recovery codes left: ${String(left)}</p>${formOf('new_codes', failed)}`}
        ${isStarted ? [...secretOf(started), ...formOf('enrol_app', failed)] : ''}
        ${await partsOf(['add_app', 'add_passkey'], token, failed)}`
    },
  }
}

/** An important change needs a user who was authenticated lately. */
const isStale = ({ problems }: Failed['answer']): boolean =>
  problems.some(({ reason }) => reason === 'insufficient_user_authentication' || reason === 'not_fresh')

const secretOf = ({ secret, uri }: Readonly<{ secret: string; uri: string }>): Html =>
  html`<p>Type this key into the app: <code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
    <p><a href="${uri}">Or open the app on this device</a></p>`

/** The page shows recovery codes once, in the response to the request that made them. */
const withCodes = (answer: UserResult<Readonly<{ recoveryCodes: ReadonlyArray<string> | null }>>) =>
  !answer.ok || answer.recoveryCodes === null
    ? answer
    : {
        ok: true as const,
        show: html`<h2>Your recovery codes</h2><p>Each replaces the app once. Save them now: they are not shown again.</p>
          <ul>${answer.recoveryCodes.flatMap((code) => html`<li><code>${code}</code></li>`)}</ul>
          <p><a href="/">I have saved them</a></p>`,
      }
