import { expect } from 'chai'
import { strictAnswers } from '../support/strict-answers.ts'
import { bearer, CREDENTIALS, PASSWORD, post } from './transport-gate.ts'
import { connected, talk } from './transport-talk.ts'

/** The client’s end arrives with the request, before any password is verified. */
describe('a client that ends its side with its request, while the queue is empty', () => {
  const { running, expectNoHarm } = talk()

  const answerTo = async (text: string) => {
    const { socket, received, closed } = await connected(running().port)
    socket.end(text)
    await closed
    await expectNoHarm()
    const [answer, ...more] = strictAnswers(received(), () => false).answers
    expect(more).to.deep.equal([])
    return answer
  }

  it('is signed in', async () => {
    const token = await running().applicationToken()
    const answer = await answerTo(post('/api/v1/auth/user/token', CREDENTIALS, bearer(token)))
    expect(answer?.status, answer?.body).to.equal(200)
  })

  it('changes its password', async () => {
    const token = await running().userToken()
    const change = { old_password: PASSWORD, new_password: 'battery', new_password_check: 'battery' }
    const answer = await answerTo(post('/api/v1/profile/change_password', change, bearer(token)))
    expect(answer?.status, answer?.body).to.equal(200)
  })
})
