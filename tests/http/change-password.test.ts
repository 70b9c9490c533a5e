import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/profile/change_password'

/** docs/contract.md §7.1, §7.2. */
const ERRORS: Readonly<Record<number, object>> = {
  1: { code: 1, param: 'old_password', message: 'old_password is missing or empty.' },
  2: { code: 2, param: 'new_password', message: 'new_password is missing or empty.' },
  3: { code: 3, param: 'new_password_check', message: 'new_password_check is missing or empty.' },
  4: { code: 4, param: 'old_password', message: 'old_password is not the current password.' },
  5: { code: 5, param: 'new_password_check', message: 'new_password_check differs from new_password.' },
}

onMemory('GET and POST /api/v1/profile/change_password', (stores) => {
  let running: RunningService
  let token: string
  let current: string
  before(async () => {
    running = await startService(await stores.fresh())
    token = await running.userToken()
    current = running.user.password
  })
  after(() => running.stop())

  const change = (method: string, old: unknown, fresh: unknown, check = fresh, others: object = {}) =>
    running.send({
      method,
      path: PATH,
      token,
      body: { ...others, old_password: old, new_password: fresh, new_password_check: check },
    })
  const signIn = async (password: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body: { email: 'ada@example.com', password },
    })

  for (const method of ['GET', 'POST']) {
    it(`${method} sets the password, and returns the operation result`, async () => {
      const next = `set with ${method}`
      const answer = await change(method, current, next)
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ success: true, code: 100, message: 'The password was changed.' })
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': '65',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
      expect([(await signIn(next)).status, (await signIn(current)).status]).to.deep.equal([200, 422])
      current = next
    })

    for (const [what, fields, codes] of [
      ['no fields', [undefined, undefined], [1, 2, 3]],
      ['a wrong old password and a check that differs', ['wrong', 'new', 'other'], [4, 5]],
    ] as const) {
      it(`${method} with ${what} is 422 with the codes ${codes.join(', ')}`, async () => {
        const [old, fresh, check] = fields
        const { status, body } = await change(method, old, fresh, check)
        expect(status).to.equal(422)
        expect(body).to.deep.equal({
          success: false,
          code: 422,
          message: 'Some fields are missing or wrong; see errors.',
          errors: codes.map((code) => ERRORS[code]),
        })
      })
    }
  }

  it('read fields from the body only', async () => {
    const fields = { old_password: current, new_password: 'x', new_password_check: 'x' }
    const path = `${PATH}?${new URLSearchParams(fields)}`
    const { status, body } = await running.send({ method: 'GET', path, token })
    expect([status, body.errors]).to.deep.equal([422, [ERRORS[1], ERRORS[2], ERRORS[3]]])
  })

  it('take passwords exactly as sent', async () => {
    const sent = [' s\0 ', 'cafe\u0301', '\ufeffbom', '💥', 'é'.repeat(4000)]
    for (const [index, password] of sent.entries()) {
      expect((await change('POST', current, password)).status, `${index}`).to.equal(200)
      expect((await signIn(password)).status, `${index}`).to.equal(200)
      current = password
    }
    for (const twin of ['s\0', 'caf\u00e9', 'bom', '\ufffd', 'é'.repeat(3999)]) {
      const { body } = await change('POST', twin, 'x')
      expect(body.errors).to.deep.equal([ERRORS[4]])
    }
  })
})
