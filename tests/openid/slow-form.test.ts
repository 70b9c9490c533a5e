import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { authorizeRoute } from '../../adapters/http/openid/authorize.ts'
import { deadline } from '../../adapters/http/request/deadline.ts'
import type { Request } from '../../adapters/http/request/request.ts'

describe('an authorization by a form', () => {
  it('has no deadline while its form arrives', async () => {
    let running = 0
    const message = Object.assign(new PassThrough(), {
      method: 'POST',
      headers: { 'content-length': '99', 'content-type': 'application/x-www-form-urlencoded' },
      complete: false,
    })
    const ofRequest = deadline(() => {
      running += 1
      return () => {
        running -= 1
      }
    })
    const request = { message, deadline: ofRequest, query: () => '' } as unknown as Request
    let isAnswered = false
    void authorizeRoute({} as never)
      .methods.POST?.respond(request)()
      .finally(() => {
        isAnswered = true
      })
    message.write('client_id=')
    await nextTurn()
    expect([isAnswered, running]).to.deep.equal([false, 0])
  })
})
