import type { PageCeremony } from '../../../application/factors/passkey-on-page.ts'
import type { Visit } from '../../../application/factors/security-page.ts'
import { SECURITY_PAGE } from '../../../domain/page-visitor.ts'
import type { CredentialsProblem } from '../../../domain/sign-in.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { ENGLISH } from './english.ts'
import { type FieldError, type Input, pathOfForm } from './fields.ts'
import { passkeyFormHtml } from './passkey-form.ts'
import { postFormHtml } from './post-form.ts'
import { secondStepErrors, secondStepForm } from './second-step.ts'

/** The parameters of every form of the page. `step` says what it is for. */
export const SECURITY_FIELDS = [
  'step',
  'proof',
  'email',
  'password',
  'totp',
  'recovery_code',
  'credential',
  'enrolment',
  'name',
  'factor_id',
] as const
export type Values = Readonly<Partial<Record<(typeof SECURITY_FIELDS)[number], string | undefined>>>

/** The problems with fields that a person can correct. All others end the visit. */
export type FieldProblem =
  | CredentialsProblem
  | 'ProofMissing'
  | 'TotpMissing'
  | 'TotpWrong'
  | 'RecoveryCodeWrong'
  | 'NameMissing'
  | 'NameMalformed'
  | 'CredentialMissing'
  | 'CredentialInvalid'
  | 'CredentialTaken'
  | 'PasskeyRefused'

const MALFORMED_NAME = { code: 7, param: 'name', message: 'Enter a name of 1 to 64 printable characters.' }

const credentialError = (code: number, message: string) => ({ code, param: 'credential', message })

const ERRORS: Readonly<Record<FieldProblem, FieldError>> = {
  EmailMissing: { code: 1, param: 'email', message: 'Enter your e-mail address.' },
  PasswordMissing: { code: 2, param: 'password', message: 'Enter your password.' },
  PasswordDoesNotMatch: {
    code: 3,
    param: 'password',
    alsoAt: 'email',
    message: 'The e-mail address and the password do not match.',
  },
  ...secondStepErrors(4),
  TotpMissing: { code: 4, param: 'totp', message: 'Enter the code that the app shows.' },
  NameMissing: MALFORMED_NAME,
  NameMalformed: MALFORMED_NAME,
  CredentialMissing: credentialError(9, 'The browser sent no passkey. Try again.'),
  CredentialInvalid: credentialError(9, 'The passkey was not accepted. Try again.'),
  PasskeyRefused: credentialError(9, 'The passkey does not sign you in. Try again, or enter your password.'),
  CredentialTaken: credentialError(10, 'This passkey was added already.'),
}

/** The code of a visit that has ended. */
export const ENDED_CODE = 8

/** Returns the errors of problems. Their codes ascend like the inputs of each form. */
export const errorsOf = (problems: ReadonlyArray<string>): ReadonlyArray<FieldError> | undefined =>
  problems.every(isFieldProblem)
    ? problems.map((problem) => ERRORS[problem]).sort((one, other) => one.code - other.code)
    : undefined

const isFieldProblem = (problem: string): problem is FieldProblem => Object.hasOwn(ERRORS, problem)

/** A form of one step. Its hidden inputs are its step and what it carries on. */
type StepForm = Readonly<{
  step: string
  hidden?: Readonly<Record<string, string>>
  inputs?: ReadonlyArray<Input>
  button: string
}>

const stepForm = (
  { step, hidden = {}, inputs = [], button }: StepForm,
  values: Values = {},
  errors: ReadonlyArray<FieldError> = [],
): Html =>
  postFormHtml(
    ENGLISH.say,
    { path: SECURITY_PAGE, hidden: { step, ...hidden }, inputs, button },
    values,
    errors,
  )

/** A form with a button for a passkey: none where none can be used. */
const passkeyForm = (
  hidden: Readonly<Record<string, string>>,
  ceremony: PageCeremony | undefined,
  errors?: ReadonlyArray<FieldError>,
): Part => ceremony !== undefined && passkeyFormHtml({ ceremony, hidden }, errors)

/** Lets a passkey answer the second step, or be added. */
export const passkeyOfVisit = (
  { proof, needsSecondStep, ceremony }: Pick<Visit, 'proof' | 'needsSecondStep' | 'ceremony'>,
  errors?: ReadonlyArray<FieldError>,
): Part => passkeyForm({ step: needsSecondStep ? 'second_step' : 'add_passkey', proof }, ceremony, errors)

/** Step 1: the password, or a passkey alone. */
export const signInForm = (
  values: Values,
  errors: ReadonlyArray<FieldError>,
  ceremony: PageCeremony | undefined,
): Html => html`${passwordForm(values, errors)}${passkeyForm({ step: 'passkey_sign_in' }, ceremony, errors)}`

const passwordForm = (values: Values, errors: ReadonlyArray<FieldError>): Html =>
  stepForm(
    {
      step: 'sign_in',
      inputs: [
        { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' },
        { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
      ],
      button: 'Continue',
    },
    values,
    errors,
  )

/** What the second step carries on. */
export const secondStepOf = (proof: string) => ({
  path: SECURITY_PAGE,
  hidden: { step: 'second_step', proof },
})

export const enrolmentForm = (
  { proof, enrolment }: Readonly<{ proof: string; enrolment: string }>,
  values: Values,
  errors?: ReadonlyArray<FieldError>,
): Html =>
  stepForm(
    {
      step: 'complete_totp',
      hidden: { proof, enrolment },
      inputs: [
        {
          name: 'totp',
          label: 'Code that the app shows',
          type: 'text',
          autocomplete: 'one-time-code',
          inputMode: 'numeric',
        },
        {
          ...NAME_INPUT,
          label: 'Name for this app (optional)',
          hint: 'It helps you to tell several apps apart, for example “My phone”.',
          isOptional: true,
        },
      ],
      button: 'Add this app',
    },
    values,
    errors,
  )

const NAME_INPUT = { name: 'name', type: 'text', autocomplete: 'off', isShownAgain: true } as const

export const renamingForm = (
  { proof, factorId, name }: Readonly<{ proof: string; factorId: string; name: string }>,
  errors?: ReadonlyArray<FieldError>,
): Html =>
  stepForm(
    {
      step: 'save_name',
      hidden: { proof, factor_id: factorId },
      inputs: [{ ...NAME_INPUT, label: 'New name' }],
      button: 'Save',
    },
    { name },
    errors,
  )

/** A form with one button and no input. */
export const buttonForm = (step: string, proof: string, button: string): Html =>
  stepForm({ step, hidden: { proof }, button })

/** The buttons of one factor. `labelledBy` is the id of its name, so that screen readers tell the buttons of several factors apart. */
export const factorButtons = (proof: string, factorId: string, labelledBy: string): Html =>
  html`<form method="post" action="${pathOfForm(SECURITY_PAGE)}">
<input type="hidden" name="proof" value="${proof}"><input type="hidden" name="factor_id" value="${factorId}">
<button name="step" value="rename" aria-describedby="${labelledBy}">Rename</button>
<button name="step" value="remove" aria-describedby="${labelledBy}">Remove</button>
</form>
`

/** Returns the form that failed for a reason that can pass, without passwords and codes. The next challenge of a passkey comes with the list. */
export const formAgain = (values: Values): Html => {
  const { step, proof = '', enrolment = '', credential = '' } = values
  if (proof === '' || step === 'sign_in') return signInForm(values, [], undefined)
  if (step === 'second_step')
    return html`${secondStepForm(secondStepOf(proof))}${credential !== '' && buttonForm('list', proof, 'Use a passkey')}`
  if (step === 'complete_totp') return enrolmentForm({ proof, enrolment }, values)
  return buttonForm('list', proof, BACK)
}

export const BACK = 'Back to your second factors'
