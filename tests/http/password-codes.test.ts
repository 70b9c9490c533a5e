import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import type { Answer } from '../support/http-client.ts'
import { ADA, type NistService, startNistService } from '../support/nist-service.ts'
import { succeed } from '../support/outcome.ts'
import { ruleAgainst } from '../support/password-rules.ts'
import { CONTEXT } from '../support/request-context.ts'

const LEAKED = 'one that is on the list'

/** A password for each reason, with its code at a registration and on the routes that set a new password. */
const REASONS: ReadonlyArray<readonly [what: string, password: string, registration: number, other: number]> =
  [
    ['refused by a rule', 'trombone in a tea house', 5, 6],
    ['too short', 'tea', 6, 7],
    ['leaked', LEAKED, 7, 8],
    ['built from names', 'portcullisportcullis', 8, 9],
    ['common', 'the password the password', 9, 10],
    ['guessable', 'x'.repeat(20), 10, 11],
  ]

describe('the code of a refused password', () => {
  let running: NistService
  let recover: (newPassword: string) => Promise<Answer>
  before(async () => {
    running = await startNistService(
      {},
      undefined,
      provide(Dependency.leakedPasswords, () => leakedAre(LEAKED)),
      provide(Dependency.passwordEstimator, () => plainEstimator),
      provide(Dependency.passwordRules, () => [ruleAgainst('shop'), ruleAgainst('tea')]),
    )
    const { service, send } = running
    const desk = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope: 'users:recover' }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, desk))
    const path = '/api/v1/users/recovery'
    const started = await send({ method: 'POST', path, token, body: { email: ADA.email } })
    recover = (newPassword) => {
      const body = {
        token: started.body.token,
        new_password: newPassword,
        new_password_check: newPassword,
      }
      return send({ method: 'POST', path: `${path}/complete`, body })
    }
  })
  after(() => running.stop())

  const refused = ({ status, body }: Answer) => [
    status,
    body.errors?.map(({ code, param }: { code: number; param: string }) => [code, param]),
  ]

  for (const [what, password, registration, other] of REASONS)
    it(`that is ${what}: ${registration} at a registration, ${other} on a change and a recovery`, async () => {
      const registered = await running.register('eve@example.com', password)
      expect(refused(registered)).to.deep.equal([422, [[registration, 'password']]])
      for (const answer of [await running.change(password), await recover(password)]) {
        expect(refused(answer)).to.deep.equal([422, [[other, 'new_password']]])
        expect(answer.body.errors[0]).to.have.all.keys('code', 'message', 'param')
      }
    })

  it('stands beside the codes of other fields', async () => {
    const fields = { old_password: 'wrong', new_password_check: 'other' }
    expect(refused(await running.change('x'.repeat(20), fields))).to.deep.equal([
      422,
      [
        [4, 'old_password'],
        [5, 'new_password_check'],
        [11, 'new_password'],
      ],
    ])
  })
})
