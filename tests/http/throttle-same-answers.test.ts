import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const PASSWORD = 'correct horse'
const WAITS = [30, 60, 120, 240, 480, 900, 900, 900]

onMemory('the existence of an account', (stores) => {
  let running: ThrottledService
  let token: string
  before(async () => {
    running = await startThrottled(await stores.fresh())
    token = await running.applicationToken()
    const { service } = running
    for (const [email, end] of [
      ['disabled@example.com', service.disableUser],
      ['off@example.com', service.disableUser],
      ['removed@example.com', service.removeUser],
    ] as const) {
      await succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))
      await succeed(end(CONTEXT, email))
    }
  })
  after(() => running.stop())

  const answerTo = async (email: string, password: string) => {
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
    const body = JSON.stringify({ email, password })
    return withoutDateAndId(
      await sendRaw(running.port, requestText('POST', '/api/v1/auth/user/token', headers, body)),
    )
  }

  /** All responses to a client that tries for two hours, each time also too early. */
  const row = async (email: string, password = 'wrong'): Promise<ReadonlyArray<string>> => {
    const answers: Array<string> = []
    for (let attempt = 0; attempt < 4; attempt += 1) answers.push(await answerTo(email, password))
    for (const seconds of WAITS) {
      running.clock.passSeconds(seconds - 0.5)
      answers.push(await answerTo(email, password))
      running.clock.passSeconds(0.5)
      answers.push(await answerTo(email, password), await answerTo(email, password))
    }
    return answers
  }

  it('is not revealed by any of many responses: they have the same bytes', async () => {
    const unknown = await row('nobody@example.com')
    const statuses = unknown.map((answer) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3))
    expect(statuses).to.deep.equal([
      '422',
      '422',
      '422',
      '429',
      ...WAITS.flatMap(() => ['429', '422', '429']),
    ])
    expect(await row('ada@example.com'), 'a user').to.deep.equal(unknown)
    expect(await row('disabled@example.com'), 'a disabled user').to.deep.equal(unknown)
    expect(await row('off@example.com', PASSWORD), 'a disabled user’s own password').to.deep.equal(unknown)
    expect(await row('removed@example.com', PASSWORD), 'a removed user’s password').to.deep.equal(unknown)
  })
})
