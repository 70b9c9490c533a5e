/** The start of a program that checks the generated types. */
const PRELUDE = `import type { operations } from './portcullis.d.ts'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Sent<Id extends WithBody> = operations[Id]['requestBody']['content']['application/json']
type WithBody = 'signIn' | 'changePassword' | 'registerUser'
type WrongFields = operations['changePassword']['responses'][422]['content']['application/json']
type Wrong = WrongFields['errors'][number]
`

/** The type of an operation’s successful response. */
const ok = (id: string): string => `operations['${id}']['responses'][200]['content']['application/json']`

/** A generated type, and the expected type. */
export const SAID: ReadonlyArray<readonly [what: string, made: string, expected: string]> = [
  ['an application token is a string', ok('issueApplicationToken'), '{ token: string }'],
  [
    'a user token has a lifetime and a user',
    ok('signIn'),
    '{ token: string; expires_in: number; user_id: string; email_verified: boolean; acr: string; amr: string[] }',
  ],
  ['a profile has an e-mail', ok('getProfile'), '{ email: string; id: string; email_verified: boolean }'],
  [
    'a registration may say that the e-mail is verified',
    `Sent<'registerUser'>`,
    '{ email: string; password: string; email_verified?: boolean }',
  ],
  [
    'a recovery of an unknown e-mail has only a lifetime',
    ok('startRecovery'),
    '{ token: string | null; expires_in: number; user_id: string | null; email: string | null; email_verified: boolean | null }',
  ],
  [
    'four properties of a session may be null',
    `${ok('listSessions')}['sessions'][number]`,
    '{ id: string; created_at: string | null; expires_at: string; renewed_at: string | null; ends_at: string; label: string | null; application_id: string | null; application_name: string | null; acr: string; amr: string[]; current: boolean }',
  ],
  [
    'a sign-in has an e-mail, a password and perhaps a label',
    `Sent<'signIn'>`,
    '{ email: string; password: string; label?: string }',
  ],
  [
    'a password change has three passwords',
    `Sent<'changePassword'>`,
    '{ old_password: string; new_password: string; new_password_check: string }',
  ],
  ['an error has one of five codes', `Wrong['code']`, '1 | 2 | 3 | 4 | 5'],
  [
    'an error names one of three fields',
    `Wrong['param']`,
    `'old_password' | 'new_password' | 'new_password_check'`,
  ],
  ['a code determines the field', `Extract<Wrong, { code: 4 }>['param']`, `'old_password'`],
  ['the message of an error is a string', `WrongFields['message']`, 'string'],
  ['the OpenAPI document is an untyped object', `${ok('describe')}['info']`, '{ [key: string]: unknown }'],
]

type Mistake = readonly [what: string, right: string, wrong: string, said: RegExp]

/** Faulty copies of the client, and the compiler’s message for each. No fault hides another. */
export const WRONG: ReadonlyArray<ReadonlyArray<Mistake>> = [
  [
    ['no body', `token', { body: keys })`, `token')`, /Expected 2 arguments, but got 1/],
    ['a misspelt path', 'auth/user/token', 'auth/users/token', /'"\/api\/v1\/auth\/users\/token"' is not/],
    ['a method that the path does not take', 'api.GET(', 'api.DELETE(', /'"\/api\/v1\/profile"' is not/],
    ['a misspelt field', 'new_password_check: N', 'new_password_chek: N', /'new_password_check' is missing/],
    ['a status that no error has', 'error?.code === 422', 'error?.code === 418', /'418' have no overlap/],
  ],
  [
    ['a field left out', ', password: PASSWORD', '', /'password' is missing/],
    ['a field that no response has', 'profile.email', 'profile.name', /'name' does not exist/],
    ['a property that no error has', '{ code, param,', '{ code, field, param,', /'field' does not exist/],
  ],
]

/** Makes the compiler check every program of the folder. */
const CONFIG = JSON.stringify({
  extends: './tsconfig.json',
  compilerOptions: { noEmit: true },
  include: ['*.ts'],
})

/**
 * The files for the compiler by name. Only `wrong-0.ts` and so on have errors. The generated types are included,
 * because the compiler does not check declaration files.
 */
export const programsFrom = (
  client: string,
  types: string,
): ReadonlyArray<readonly [name: string, text: string]> => [
  ['tsconfig.all.json', CONFIG],
  ['types.ts', types],
  ...SAID.map(
    ([, made, expected], index) =>
      [`said-${index}.ts`, `${PRELUDE}export const same: Same<${made}, ${expected}> = true\n`] as const,
  ),
  ...WRONG.map(
    (mistakes, index) =>
      [
        `wrong-${index}.ts`,
        mistakes.reduce((text, [, right, wrong]) => text.replace(right, wrong), client),
      ] as const,
  ),
]
