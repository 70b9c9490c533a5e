import type { Input } from './fields.ts'

/** The inputs of a second step. The user fills in one of them. */
export const secondStepInputs = [
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
