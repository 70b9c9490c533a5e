import { connect } from 'node:net'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { requestText } from '../support/raw-text.ts'
import { gate } from '../support/waiting.ts'
import { withService } from '../support/with-service.ts'

describe('a client that has gone', () => {
  it('is known to have gone by the time its password would be hashed', () => {
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
        // There is no event for what the other side of a socket knows, so it is asked until it does.
        await eventually('it is known to have gone', async () => (wanted() ? undefined : true))
        asked.open()
      },
      attentive,
    )
  })
})
