import type { Context } from 'koa'
import type { ListFactorsAnswer, NewToken, Portcullis, SignInAnswer, UserResult } from 'portcullis-client'
import { type Failed, type Forms, failure, formsOf, type Html, html, type Run, type User } from './browser.ts'
import { type Ceremony, passkeyPart } from './passkeys.ts'

/** The names of cookies. */
const WAITING = 'waiting'
const ENROLMENT = 'enrolment'

type Enrolment = Readonly<{ enrolment: string; secret: string; uri: string; userId: string }>

const BEGUN = { ok: true, isBegun: true } as const
const TOO_LATE = failure('This took too long. Start again.')

/** The second factor: its forms, and the parts of the page that show them. */
export const secondFactors = (auth: Portcullis) => {
  /** For each form that sends a passkey, the request for the options. */
  const OPTIONS: Readonly<Record<string, (token: string) => Promise<UserResult<Ceremony>>>> = {
    sign_in_passkey: () => auth.startPasskeySignIn(),
    prove_passkey: (token) => auth.startPasskeySecondStep({ token }),
    confirm_passkey: (token) => auth.user(token).startPasskeyStepUp(),
    add_passkey: (token) => auth.user(token).startPasskeyEnrolment(),
  }

  /** Keeps the new token of a user who has proved something more. */
  const kept = async <Answer extends NewToken>(
    ctx: Context,
    answer: UserResult<Answer>,
    visitor: User,
  ): Promise<UserResult<Answer>> => {
    if (answer.ok) ctx.append('Set-Cookie', await auth.cookies.keep(answer, visitor))
    return answer
  }
  const opened = async (
    ctx: Context,
    answer: UserResult<SignInAnswer>,
  ): Promise<UserResult<SignInAnswer>> => {
    if (answer.ok) ctx.append('Set-Cookie', [await auth.cookies.keep(answer), auth.cookies.clear(WAITING)])
    return answer
  }
  const signIn: Run = async ({ email, password, remember }, _, ctx) => {
    const known = { email, password, remember: remember !== undefined } // a box that is not ticked is not sent
    const answer = await auth.signIn(known, { endUserAddress: ctx.ip })
    if (answer.ok || answer.refusal !== 'second_factor') return opened(ctx, answer)
    const { token, methods, expiresIn } = answer.secondFactor
    ctx.append('Set-Cookie', await auth.cookies.seal(WAITING, [token, ...methods].join(' '), expiresIn))
    return BEGUN
  }
  /** The token of the sign-in that waits for its second step, and the methods that the user can choose from. */
  const waiting = async (ctx: Context): Promise<ReadonlyArray<string>> =>
    ((await auth.cookies.open(WAITING, ctx.get('Cookie'))) ?? '').split(' ')

  const completeSignIn: Run = async (proof, _, ctx) => {
    const [token] = await waiting(ctx)
    if (!token) return TOO_LATE
    return opened(ctx, await auth.completeSignIn({ ...proof, token }, { endUserAddress: ctx.ip }))
  }
  const signInAlone: Run = async ({ credential }, _, ctx) =>
    opened(ctx, await auth.completePasskeySignIn({ credential }, { endUserAddress: ctx.ip }))
  const stepUp: Run = async (proof, visitor, ctx) => kept(ctx, await visitor.user.stepUp(proof), visitor)

  const start: Run = async (_, { id, user }, ctx) => {
    const answer = await user.startTotpEnrolment()
    if (!answer.ok) return answer
    const { enrolment, secret, uri, expiresIn } = answer
    const text = JSON.stringify({ enrolment, secret, uri, userId: id })
    ctx.append('Set-Cookie', await auth.cookies.seal(ENROLMENT, text, expiresIn))
    return BEGUN
  }
  /** The enrolment that waits for its first code. */
  const started = async (ctx: Context): Promise<Partial<Enrolment>> =>
    JSON.parse((await auth.cookies.open(ENROLMENT, ctx.get('Cookie'))) ?? '{}')

  const enrol: Run = async ({ totp, name }, visitor, ctx) => {
    const { enrolment } = await started(ctx)
    if (enrolment === undefined) return TOO_LATE
    const answer = await visitor.user.completeTotpEnrolment({ enrolment, totp, name })
    if (answer.ok) ctx.append('Set-Cookie', auth.cookies.clear(ENROLMENT))
    return withCodes(await kept(ctx, answer, visitor))
  }
  /** Without a passkey it asks why there are no options. */
  const addPasskey: Run = async ({ credential, name }, visitor, ctx) => {
    if (credential)
      return withCodes(
        await kept(ctx, await visitor.user.completePasskeyEnrolment({ credential, name }), visitor),
      )
    const answer = await visitor.user.startPasskeyEnrolment()
    return answer.ok ? BEGUN : answer
  }
  const renewCodes: Run = async (_, { user }) => withCodes(await user.renewRecoveryCodes())
  const rename: Run = ({ factorId, name }, { user }) => user.renameFactor({ factorId, name })
  const remove: Run = ({ factorId }, { user }) => user.removeFactor({ factorId })

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
      const [token = '', ...methods] = await waiting(ctx)
      if (methods.length === 0) return []
      const names = methods.map((method) => `prove_${method}`)
      return html`<h2>One more step</h2>${await partsOf(names, token, failed)}`
    },

    /** How a guest signs in with a passkey alone. */
    passkeySignIn: (failed?: Failed): Promise<Html> => partOf('sign_in_passkey', '', failed),

    /** The second factors of a user, below a proof that the user must give before a change. */
    part: async ({ token, id, user }: User, ctx: Context, failed?: Failed): Promise<Html> => {
      const list = await user.listFactors()
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
      const { userId, secret = '', uri = '' } = await started(ctx)
      const left = list.recoveryCodesLeft
      return html`${mustConfirm ? confirmation : ''}<h2>Second factors</h2><ul>${items}</ul>
        ${left === null ? '' : html`<p>Recovery codes left: ${String(left)}</p>${formOf('new_codes', failed)}`}
        ${userId === id ? [...secretOf({ secret, uri }), ...formOf('enrol_app', failed)] : ''}
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
