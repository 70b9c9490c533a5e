import type { ProofProblem } from '../../../domain/second-factor.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { ENGLISH } from './english.ts'
import type { FieldError, Input } from './fields.ts'
import { type Page, pageOf } from './layout.ts'
import { postFormHtml } from './post-form.ts'

/** The inputs of a second step. The user fills in one of them. */
const secondStepInputs = [
  {
    name: 'totp',
    label: 'Code of your authenticator app',
    type: 'text',
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    isOptional: true,
  },
  {
    name: 'recovery_code',
    label: 'Or a recovery code',
    type: 'text',
    autocomplete: 'off',
    hint: 'Use it if you do not have the app. Each recovery code works once.',
    isOptional: true,
  },
] as const satisfies ReadonlyArray<Input>

/** Where the form is, and what it carries on. */
type SecondStep = Readonly<{ path: string; hidden: Readonly<Record<string, string>> }>

export const secondStepForm = ({ path, hidden }: SecondStep, errors: ReadonlyArray<FieldError> = []): Html =>
  postFormHtml(ENGLISH.say, { path, hidden, inputs: secondStepInputs, button: 'Continue' }, {}, errors)

/** The page that asks for a code after the right password. `passkey` is the form with the button of a passkey, if there is one. */
export const secondStepPage = (
  step: SecondStep,
  errors: ReadonlyArray<FieldError> = [],
  passkey?: Part,
): Page =>
  pageOf({
    language: ENGLISH,
    heading: 'Enter a code',
    errors,
    hasPasskeyButton: passkey !== undefined,
    content: html`${errors.length === 0 && html`<p>Your account needs a second factor besides the password.</p>`}${secondStepForm(step, errors)}${passkey}`,
  })

/** Returns the errors of the second step. Their codes begin with this one on the page. */
export const secondStepErrors = (
  first: number,
): Readonly<Record<'ProofMissing' | Exclude<ProofProblem, 'CredentialInvalid'>, FieldError>> => ({
  ProofMissing: {
    code: first,
    param: 'totp',
    message: 'Enter the code of your app or a recovery code, not both.',
  },
  TotpWrong: {
    code: first + 1,
    param: 'totp',
    message: 'The code is wrong or was used already. Wait for the next one, and enter it.',
  },
  RecoveryCodeWrong: {
    code: first + 2,
    param: 'recovery_code',
    message: 'The recovery code is wrong or was used already.',
  },
})
