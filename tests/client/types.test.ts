import { expect } from 'chai'
import { type ForeignProject, foreignProject } from '../support/foreign-project.ts'

const BEFORE = `import type { Acr, Amr, Portcullis, Reason, UserMethods } from 'portcullis-client'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = T extends object ? { -readonly [Key in keyof T]: Flat<T[Key]> } : T
type Answer<Method extends (...given: never) => unknown> = Flat<Omit<Extract<Awaited<ReturnType<Method>>, { ok: true }>, 'ok'>>
declare const auth: Portcullis
const user = { email: 'a@example.com', password: 'pw' }
`

/** The type of an answer, and the expected type. */
const SAID: ReadonlyArray<readonly [what: string, made: string, expected: string]> = [
  ['an application token is a string', `Portcullis['issueApplicationToken']`, '{ token: string }'],
  [
    'a user token has a lifetime and a user',
    `Portcullis['signIn']`,
    '{ token: string; expiresIn: number; userId: string; emailVerified: boolean; acr: Acr; amr: Amr[]; roles: string[]; sessionExpiresIn: number }',
  ],
  [
    'a profile has an e-mail, and perhaps attributes',
    `UserMethods['getProfile']`,
    '{ email: string; id: string; emailVerified: boolean; roles: string[]; name?: string; givenName?: string; familyName?: string; picture?: string; locale?: string; zoneinfo?: string; metadata?: Record<string, string | number | boolean> }',
  ],
  [
    'a recovery of an unknown e-mail has only a lifetime',
    `Portcullis['startRecovery']`,
    '{ token: string | null; expiresIn: number; userId: string | null; email: string | null; emailVerified: boolean | null }',
  ],
]

/** Programs with a mistake, and what the compiler says. */
const WRONG: ReadonlyArray<readonly [what: string, program: string, said: RegExp]> = [
  ['a misspelt operation', 'await auth.signin(user)', /'signin' does not exist/],
  ['an operation of a user without a user token', 'await auth.getProfile()', /'getProfile' does not exist/],
  ['no fields', 'await auth.signIn()', /Expected 1-2 arguments, but got 0/],
  ['a field left out', `await auth.signIn({ email: '' })`, /'password' is missing/],
  ['a misspelt field', `await auth.signIn({ ...user, lable: '' })`, /'lable' does not exist/],
  ['a name of the wire', `await auth.user('').endSession({ session_id: '' })`, /'session_id' does not exist/],
  ['a misspelt option', 'await auth.signIn(user, { endUser: "::1" })', /'endUser' does not exist/],
  [
    'a token that is read before `ok`',
    'export const { token } = await auth.signIn(user)',
    /'token' does not exist/,
  ],
  [
    'a second factor of another operation than the sign-in',
    `const made = await auth.registerUser(user)\nif (!made.ok && made.refusal === 'second_factor') made`,
    /have no overlap/,
  ],
  [
    'a misspelt reason',
    `const made = await auth.registerUser(user)\nif (!made.ok && made.problems[0].reason === 'wrong') made`,
    /have no overlap/,
  ],
  [
    'a misspelt field of a problem',
    `const made = await auth.registerUser(user)\nif (!made.ok && made.problems[0].field === 'mail') made`,
    /have no overlap/,
  ],
  [
    'a level that no user has',
    `const made = await auth.signIn(user)\nif (made.ok && made.acr === 'aal3') made`,
    /have no overlap/,
  ],
  ['a text left out', `export const texts: Record<Reason, string> = { other: '' }`, /is missing|missing the/],
  [
    'a field of an event of another type',
    `for await (const { data } of auth.events({ types: ['UserRemoved'] })) data.data.session_id`,
    /'session_id' does not exist/,
  ],
  [
    'a type that no event has',
    `auth.events({ types: ['UserSignedin'] })`,
    /"UserSignedin"' is not assignable/,
  ],
]

describe('the types of portcullis-client, with which the compiler', function () {
  this.timeout(60_000)
  let project: ForeignProject
  let said: ReadonlyArray<string>
  before(async () => {
    project = foreignProject()
    for (const [index, [, made, expected]] of SAID.entries())
      project.write(
        `said-${index}.mts`,
        `${BEFORE}export const same: Same<Answer<${made}>, ${expected}> = true\n`,
      )
    for (const [index, [, program]] of WRONG.entries())
      project.write(`wrong-${index}.mts`, `${BEFORE}${program}\n`)
    said = await project.compile()
  })
  after(() => project.remove())

  const saidOf = (name: string): ReadonlyArray<string> => said.filter((one) => one.startsWith(`${name}(`))

  for (const [index, [what]] of SAID.entries())
    it(`knows that ${what}`, () => expect(saidOf(`said-${index}.mts`)).to.deep.equal([]))
  for (const [index, [what, , complaint]] of WRONG.entries())
    it(`refuses ${what}`, () => expect(saidOf(`wrong-${index}.mts`).join('\n')).to.match(complaint))

  it('says nothing else', () => {
    expect(said).to.have.lengthOf(WRONG.length)
  })
})
