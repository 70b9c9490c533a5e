import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { ListedFactors } from '../../../application/factors/list-factors.ts'
import type { BrowserCookies } from '../../../application/pages/browser-cookies.ts'
import type { PageProvider } from '../../../application/pages/page-identities.ts'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { UserCaller } from '../../../domain/access.ts'
import { isIdentity } from '../../../domain/factor.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { hasPassword } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import { readCookie } from './cookies.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError, Input } from './fields.ts'
import { formHtml, passkeyHtml } from './forms.ts'
import {
  IDENTITY_STEP,
  identityProblemHtml,
  linkedAtProviders,
  providerForms,
  toProvider,
} from './identity-forms.ts'
import { type Page, pageOf } from './layout.ts'
import { codeForm, proofErrors } from './second-factor.ts'
import { type Reply, type SessionPage, signedInPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import type { SignedInVisit, Site } from './visit.ts'

export const STEP_UP = '/account/step-up'

const NAMES = ['password', 'totp', 'recovery_code', 'credential', 'since', 'step', 'provider'] as const
type Name = (typeof NAMES)[number]

export type StepUpUseCases = Pick<RequestUseCases, 'stepUp' | 'passkeys' | 'listFactors' | 'mailLinks'> &
  Pick<PageUseCases, 'pageIdentities'>

/** A person who is signed in proves again who that is. While a second factor is due, the password proves too little. */
export const stepUpPage = ({ browsers }: Site, useCases: StepUpUseCases): SessionPage<Name> =>
  signedInPage({
    path: STEP_UP,
    names: NAMES,
    isDoneBySignIn: true,
    show: async (visit) => answered(visit, useCases, []),
    send: async (visit, form) => {
      if (form.step === IDENTITY_STEP) return atProvider(browsers.cookies, visit, useCases, form)
      const outcome = await useCases.stepUp(visit.context, visit.caller, {
        password: form.password,
        totp: form.totp,
        recoveryCode: form.recovery_code,
        credential: form.credential,
      })()
      if (isRight(outcome)) return { to: visit.onward }
      const failure = outcome.left
      if (failure._tag === 'InvalidToken') return toSignIn(visit)
      if (failure._tag !== 'Invalid') return failed(visit, failure, await formAgain(visit, useCases))
      const now = await browsers.session(readCookie(visit.message, 'session'))()
      // A code works once. The first of two clicks has used it, and did what the person wants.
      if (isRight(now) && isSome(now.right) && isNewer(now.right.value, form.since))
        return { to: visit.onward }
      return answered(visit, useCases, failure.problems)
    },
  })

/** The answer of the provider comes to a page of its own. */
const atProvider = async (
  cookies: BrowserCookies,
  visit: SignedInVisit,
  useCases: StepUpUseCases,
  { provider = '' }: Readonly<{ provider: Field }>,
): Promise<Reply> => {
  const started = await useCases.pageIdentities?.startStepUp(visit.caller, { provider })()
  if (started !== undefined && isRight(started))
    return toProvider(cookies, visit, started.right, { purpose: 'step_up', provider })
  if (started === undefined || started.left._tag === 'Invalid') return answered(visit, useCases, [])
  return started.left._tag === 'InvalidToken'
    ? toSignIn(visit)
    : failed(visit, started.left, await formAgain(visit, useCases))
}

/** Whether the session was authenticated since its form was shown. */
const isNewer = ({ session }: UserCaller, since: Field): boolean =>
  isPresent(since) && session.authenticatedAtSeconds > Number(since)

/** A hidden input: when the session was authenticated before this form. */
const sinceOf = ({ caller: { session } }: SignedInVisit) => ({
  since: String(session.authenticatedAtSeconds),
})

const toSignIn = (visit: SignedInVisit): Reply => ({
  to: visit.href(SIGN_IN, { continue: visit.next, notice: 'expired' }),
})

const failed = (visit: SignedInVisit, failure: FormFailure, form = html``): Reply => ({
  failure,
  heading: visit.language.say('step_up.heading'),
  form,
  hasPasswords: true,
})

/** Another proof may be accepted at once: too many wrong codes of an app leave the recovery codes. */
const formAgain = async (visit: SignedInVisit, { listFactors, mailLinks }: StepUpUseCases): Promise<Html> => {
  const found = await listFactors(visit.caller)()
  if (isLeft(found)) return html``
  return hasSecondFactor(found.right)
    ? codeForm(visit, STEP_UP, [], sinceOf(visit))
    : passwordForm(visit, [], mailLinks !== undefined)
}

/** An identity is none. */
const hasSecondFactor = ({ factors }: ListedFactors): boolean => factors.some((factor) => !isIdentity(factor))

const answered = async (
  visit: SignedInVisit,
  useCases: StepUpUseCases,
  problems: ReadonlyArray<string>,
): Promise<Reply> => {
  const factors = await useCases.listFactors(visit.caller)()
  if (isLeft(factors)) return failed(visit, factors.left)
  const isDue = hasSecondFactor(factors.right)
  const linkedAt = isDue ? right([]) : await linkedAtProviders(useCases, visit.caller)
  if (isLeft(linkedAt)) return failed(visit, linkedAt.left)
  const providers = (useCases.pageIdentities?.providers ?? []).filter(
    ({ name, isNeverAgain }) => !isNeverAgain && linkedAt.right.includes(name),
  )
  const known = isDue ? proofErrors(visit.language.say) : passwordErrors(visit.language.say)
  // The password of a form from before the first factor says too little now.
  const errors = problems.flatMap((problem) => known[problem] ?? known.ProofMissing ?? [])
  const page = await formPage(visit, useCases, { isDue, errors, providers })
  return { page, status: problems.length === 0 ? 200 : 422 }
}

const formPage = async (
  visit: SignedInVisit,
  { passkeys, mailLinks }: StepUpUseCases,
  {
    isDue,
    errors,
    providers,
  }: Readonly<{
    isDue: boolean
    errors: ReadonlyArray<FieldError>
    providers: ReadonlyArray<PageProvider>
  }>,
): Promise<Page> => {
  const { say } = visit.language
  const started = isDue ? await passkeys?.startStepUp(visit.caller)() : undefined
  const options = started !== undefined && isRight(started) ? started.right.options : undefined
  const hidden = sinceOf(visit)
  const passkey = passkeyHtml(visit, { path: STEP_UP, options, hidden }, errors)
  const buttons = providerForms(visit, providers, {
    path: STEP_UP,
    step: IDENTITY_STEP,
    text: 'identity.step_up',
  })
  const password =
    buttons.length > 0 && !hasPassword(visit.caller.user)
      ? html``
      : passwordForm(visit, errors, mailLinks !== undefined)
  return pageOf({
    language: visit.language,
    heading: say('step_up.heading'),
    errors,
    hasPasswords: !isDue && hasPassword(visit.caller.user),
    hasPasskeyButton: passkey !== undefined,
    content: html`${identityProblemHtml(say, visit.notice)}<p>${say('step_up.intro')}</p>${isDue ? codeForm(visit, STEP_UP, errors, hidden) : password}${passkey}${buttons}<p><a href="${visit.href('/account')}">${say('page.back')}</a></p>`,
  })
}

const passwordForm = (visit: SignedInVisit, errors: ReadonlyArray<FieldError>, mailsLinks: boolean): Html => {
  const { say } = visit.language
  const { user } = visit.caller
  return hasPassword(user)
    ? formHtml(
        visit,
        {
          path: STEP_UP,
          inputs: [whoInput(say), passwordInput(say)],
          button: say('step_up.button'),
        },
        { username: user.email },
        errors,
      )
    : html`<p>${say('password.none')}</p>${mailsLinks && setPasswordForm(visit)}`
}

/** A user without a password gets one by a mail to the own address. */
export const setPasswordForm = (visit: SignedInVisit): Html =>
  formHtml(visit, {
    path: '/account/password',
    hidden: { step: 'mail_link' },
    button: visit.language.say('password.mail_link'),
  })

/** Whose password the form takes. Nothing reads it: the session says who it is. */
export const whoInput = (say: Say): Input => ({
  name: 'username',
  label: say('field.email'),
  type: 'email',
  autocomplete: 'username',
  isFixed: true,
})

/** The password of the person who is signed in. */
export const passwordInput = (say: Say): Input => ({
  name: 'password',
  label: say('field.password'),
  type: 'password',
  autocomplete: 'current-password',
})

const passwordErrors = (say: Say): Readonly<Record<string, FieldError>> => ({
  ProofMissing: { code: 1, param: 'password', message: say('error.password_missing') },
  PasswordWrong: { code: 2, param: 'password', message: say('error.password_wrong') },
})
