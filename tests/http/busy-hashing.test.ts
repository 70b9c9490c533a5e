import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'

describe('a service with the default hashing cost and 16 concurrent sign-ins', () => {
  let running: RunningService
  before(async () => {
    // Even the fastest machine cannot compute 16 hashes in a second, one at a time.
    running = await startService({
      SCRYPT_LOG_N: '',
      SCRYPT_P: '',
      HASHING_CONCURRENCY: '1',
      HASHING_WAIT: '1',
    })
  })
  after(() => running.stop())

  it('answers profile requests meanwhile and refuses at once the sign-ins that would wait too long', async () => {
    const token = await running.applicationToken()
    const userToken = await running.userToken()
    const { email, password } = running.user
    const ended: Array<string> = []
    const signIns = Array.from({ length: 16 }, async () => {
      const answer = await running.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token,
        body: { email, password },
      })
      ended.push(answer.status === 200 ? 'signed in' : 'refused')
      return answer
    })

    // Sends profile requests one after the other until a sign-in has succeeded.
    let profiles = 0
    while (!ended.includes('signed in')) {
      const { status } = await running.send({ method: 'GET', path: '/api/v1/profile', token: userToken })
      expect(status).to.equal(200)
      profiles += 1
    }
    expect(profiles).to.be.greaterThan(0) // queued behind the hashes, none would be answered

    const answers = await Promise.all(signIns)
    const refused = answers.filter(({ status }) => status === 503)
    expect(answers.filter(({ status }) => status === 200).length).to.equal(16 - refused.length)
    expect(refused.length).to.be.greaterThan(0)
    expect(ended.indexOf('refused')).to.be.lessThan(ended.indexOf('signed in'))
    for (const { headers, body } of refused) {
      expect(Number(headers['retry-after'])).to.be.greaterThan(0)
      expect(body).to.deep.equal({
        success: false,
        code: 503,
        message: 'The server is overloaded. Try again later.',
        outcome: 'none',
      })
    }
  })
})
