import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/TaskEither.js'
import { Dependency, type PasswordRule, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { withService } from '../support/with-service.ts'

type Refuses = PasswordRule['refuses']

const SECRET = 'refused7Secret'
const isRefused = (password: string): boolean => password === SECRET
const wrong = (answer: unknown) => answer as boolean

/** What a rule may answer, and the status of a registration with a password that it refuses. */
const RULES: Readonly<Record<string, readonly [status: number, refuses: Refuses]>> = {
  'returns a boolean': [422, isRefused],
  'returns a promise': [422, async (password) => isRefused(password)],
  'returns a task': [422, (password) => right(isRefused(password))],
  'accepts with false': [201, () => false],
  'accepts with a promise': [201, () => Promise.resolve(false)],
  'is unavailable': [503, () => left({ _tag: 'PasswordCheckUnavailable', reason: 'the list is away' })],
  throws: [
    503,
    (password) => {
      throw new Error(`cannot check ${password}`)
    },
  ],
  rejects: [503, (password) => Promise.reject(new Error(`cannot check ${password}`))],
  'throws in its task': [
    503,
    (password) => () => {
      throw new Error(`cannot check ${password}`)
    },
  ],
  'returns nothing': [503, () => wrong(undefined)],
  'returns a text': [503, () => wrong('no')],
  'resolves to nothing': [503, async () => wrong(undefined)],
  'resolves to a task': [503, async () => wrong(right(false))],
  'has a task of a boolean': [503, () => wrong(async () => true)],
  'has a task of nothing': [503, () => wrong(async () => undefined)],
}

describe('a password rule without fp-ts', () => {
  for (const [what, [status, refuses]] of Object.entries(RULES))
    it(`that ${what} leads to ${status}, and shows the password nowhere`, async () => {
      const { log, lines } = capturedLog()
      const rule: PasswordRule = {
        name: 'refused',
        refusal: 'is refused.',
        refuses: (password, user) => password === SECRET && refuses(password, user),
      }
      await withService(
        {},
        async ({ send, applicationToken }) => {
          const answer = await send({
            method: 'POST',
            path: '/api/v1/users',
            token: await applicationToken(),
            body: { email: 'eve@example.com', password: SECRET },
          })
          expect(answer.status).to.equal(status)
          if (status === 422) expect(answer.body.errors[0].message).to.equal('password is refused.')
          if (status === 503) expect(answer.body.message).to.equal('The server cannot check passwords now.')
          expect(JSON.stringify(answer.body)).not.to.include(SECRET)
        },
        provide(Dependency.passwordRules, () => [rule]),
        provide(Dependency.log, () => log),
      )
      expect(lines.join()).not.to.include(SECRET)
    })

  it('keeps its own state: it is called as a method', async () => {
    class Rule implements PasswordRule {
      readonly name = 'known'
      readonly refusal = 'is known.'
      readonly #known = [SECRET]
      refuses(password: string) {
        return this.#known.includes(password)
      }
    }
    await withService(
      {},
      async ({ send, applicationToken }) => {
        const register = async (email: string, password: string) =>
          send({
            method: 'POST',
            path: '/api/v1/users',
            token: await applicationToken(),
            body: { email, password },
          })
        expect((await register('eve@example.com', SECRET)).status).to.equal(422)
        expect((await register('eve@example.com', 'another')).status).to.equal(201)
      },
      provide(Dependency.passwordRules, () => [new Rule()]),
    )
  })
})
