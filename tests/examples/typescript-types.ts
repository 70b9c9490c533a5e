/** The beginning of a program that looks at the types of the project. */
const PRELUDE = `import type { operations } from './portcullis.d.ts'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Sent<Id extends WithBody> = operations[Id]['requestBody']['content']['application/json']
type WithBody = 'signIn' | 'changePassword'
type WrongFields = operations['changePassword']['responses'][422]['content']['application/json']
type Wrong = WrongFields['errors'][number]
`

/** What an operation answers when all is well. */
const ok = (id: string): string => `operations['${id}']['responses'][200]['content']['application/json']`

/** What the types say: a type that is made, and what it is to be. */
export const SAID: ReadonlyArray<readonly [what: string, made: string, expected: string]> = [
  ['an application token is a text', ok('issueApplicationToken'), '{ token: string }'],
  [
    'a user token is a text, with its life and its user',
    ok('signIn'),
    '{ token: string; expires_in: number; user_id: string }',
  ],
  ['a profile has an e-mail', ok('getProfile'), '{ email: string }'],
  [
    'of a session two things may be unknown',
    `${ok('listSessions')}['sessions'][number]`,
    '{ id: string; created_at: string | null; expires_at: string; application_id: string | null; current: boolean }',
  ],
  ['who signs in has an e-mail and a password', `Sent<'signIn'>`, '{ email: string; password: string }'],
  [
    'who changes a password says three',
    `Sent<'changePassword'>`,
    '{ old_password: string; new_password: string; new_password_check: string }',
  ],
  ['what is wrong has one of five codes', `Wrong['code']`, '1 | 2 | 3 | 4 | 5'],
  [
    'what is wrong is one of three fields',
    `Wrong['param']`,
    `'old_password' | 'new_password' | 'new_password_check'`,
  ],
  ['a code tells the field', `Extract<Wrong, { code: 4 }>['param']`, `'old_password'`],
  ['a message of a wrong field is a text', `WrongFields['message']`, 'string'],
  ['of the description itself no more is said', `${ok('describe')}['info']`, '{ [key: string]: unknown }'],
]

type Mistake = readonly [what: string, right: string, wrong: string, said: RegExp]

/** Copies of the client with mistakes in them, none of which hides another, and what the compiler says of each. */
export const WRONG: ReadonlyArray<ReadonlyArray<Mistake>> = [
  [
    ['no body', `token', { body: keys })`, `token')`, /Expected 2 arguments, but got 1/],
    ['a misspelt path', 'auth/user/token', 'auth/users/token', /'"\/api\/v1\/auth\/users\/token"' is not/],
    ['a method that the path does not take', 'api.GET(', 'api.DELETE(', /'"\/api\/v1\/profile"' is not/],
    ['a misspelt field', 'new_password_check: N', 'new_password_chek: N', /'new_password_check' is missing/],
    ['a status of no refusal', 'error?.code === 422', 'error?.code === 418', /'418' have no overlap/],
  ],
  [
    ['a field left out', ', password: PASSWORD', '', /'password' is missing/],
    ['a field that no answer has', 'profile.email', 'profile.name', /'name' does not exist/],
    ['a part that no wrong field has', '{ code, param,', '{ code, field, param,', /'field' does not exist/],
  ],
]

/** What makes the compiler look at every program of the folder. */
const CONFIG = JSON.stringify({
  extends: './tsconfig.json',
  compilerOptions: { noEmit: true },
  include: ['*.ts'],
})

/**
 * The files that the compiler is to judge, by their names: only `wrong-0.ts` and so on are wrong. The types that were made are among
 * them, since it takes files of types as they are.
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
