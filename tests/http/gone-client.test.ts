import { connect } from 'node:net'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { requestText } from '../support/raw-text.ts'
import { gate } from '../support/waiting.ts'
import { withService } from '../support/with-service.ts'

describe('a client that disconnects', () => {
  it('is known to be gone before its password is hashed', () => {
    const asked = gate()
    const plain = plainHasher()
    let wanted = () => true
    const attentive = provide(Dependency.passwordHasher, () => ({
      ...plain,
      verify: (password, record, request) => async () => {
        if (password === 'gone') {
          wanted = request.wanted
          await asked.pass()
        }
        return plain.verify(password, record, request)()
      },
    }))

    return withService(
      {},
      async (running) => {
        const token = await running.applicationToken()
        const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`]
        const body = JSON.stringify({ email: 'ada@example.com', password: 'gone' })
        const socket = connect(running.port, '127.0.0.1')
        socket.write(requestText('POST', '/api/v1/auth/user/token', headers, body))
        await asked.reached
        expect(wanted()).to.equal(true)
        socket.destroy()
        // A client’s disconnect has no event on the other side, so the test polls.
        await eventually('it is known to have gone', async () => (wanted() ? undefined : true))
        asked.open()
      },
      attentive,
    )
  })
})
