import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { authorizeRoute } from '../../adapters/http/openid/authorize.ts'
import { endSessionRoute } from '../../adapters/http/openid/end-session.ts'
import { deadline } from '../../adapters/http/request/deadline.ts'
import type { Request } from '../../adapters/http/request/request.ts'

const ROUTES = [
  ['an authorization', authorizeRoute({} as never)],
  ['a sign-out', endSessionRoute({} as never)],
] as const

describe('the form of a client', () => {
  for (const [what, route] of ROUTES)
    it(`${what} by a form has a deadline, but not while its form arrives`, async () => {
      let started = 0
      let running = 0
      const message = Object.assign(new PassThrough(), {
        method: 'POST',
        headers: { 'content-length': '99', 'content-type': 'application/x-www-form-urlencoded' },
        complete: false,
      })
      const ofRequest = deadline(() => {
        started += 1
        running += 1
        return () => {
          running -= 1
        }
      })
      const request = { message, deadline: ofRequest, query: () => '' } as unknown as Request
      let isAnswered = false
      void route.methods.POST?.respond(request)().finally(() => {
        isAnswered = true
      })
      message.write('client_id=')
      await nextTurn()
      expect([isAnswered, started, running]).to.deep.equal([false, 1, 0])
    })
})
