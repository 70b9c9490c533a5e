import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

const PATH = '/api/v1/profile/change_password'
const OLD = 'correct horse'
const NEW = 'battery staple'
const CHANGE = { old_password: OLD, new_password: NEW, new_password_check: NEW }

for (const method of ['GET', 'POST']) {
  onMemory(`${method} /api/v1/profile/change_password`, (stores) => {
    let running: RunningService
    let token: string
    beforeEach(async () => {
      running = await startService(await stores.fresh())
      token = await running.userToken()
    })
    afterEach(() => running.stop())

    const change = (fields: object = CHANGE, headers: Record<string, string> = {}) =>
      running.send({ method, path: PATH, token, body: fields, headers })
    const profileStatus = async (of: string) =>
      (await running.send({ method: 'GET', path: '/api/v1/profile', token: of })).status
    const signIn = async (password: string) =>
      running.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: await running.applicationToken(),
        body: { email: 'ada@example.com', password },
      })

    it('returns the operation result', async () => {
      const answer = await change()
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ success: true, code: 100, message: 'The password was changed.' })
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': '65',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    })

    it('sets the new password: the new one signs in and the old one does not', async () => {
      await change()
      expect((await signIn(NEW)).status).to.equal(200)
      const old = await signIn(OLD)
      expect(old.status).to.equal(422)
      expect(old.body.errors).to.deep.equal([
        { code: 3, param: 'password', message: 'password does not match the e-mail.' },
      ])
    })

    it('ends every other session of the user and keeps the current one', async () => {
      const others = [await running.userToken(), await running.userToken()]
      await change()
      expect(await Promise.all(others.map(profileStatus))).to.deep.equal([401, 401])
      expect(await profileStatus(token)).to.equal(200)
    })

    it('lets the same session change the password again', async () => {
      await change()
      const again = await change({ old_password: NEW, new_password: 'third', new_password_check: 'third' })
      expect(again.status).to.equal(200)
      expect((await signIn('third')).status).to.equal(200)
    })

    it('accepts the current password as the new one (docs/contract.md has no rule against it)', async () => {
      const other = await running.userToken()
      const answer = await change({ old_password: OLD, new_password: OLD, new_password_check: OLD })
      expect(answer.status).to.equal(200)
      expect(await profileStatus(other)).to.equal(401)
    })

    it('accepts passwords of one character and of 4000 characters', async () => {
      const long = 'é'.repeat(4000)
      expect((await change({ ...CHANGE, new_password: 'x', new_password_check: 'x' })).status).to.equal(200)
      const second = await change({ old_password: 'x', new_password: long, new_password_check: long })
      expect(second.status).to.equal(200)
      expect((await signIn(long)).status).to.equal(200)
    })

    it('records the change in the event log under the response’s request id', async () => {
      const [signedIn] = await succeed(
        running.service.store.readEvents({ after: 0, limit: 1, type: 'UserSignedIn' }),
      )
      await change(CHANGE, { 'x-request-id': 'one-change' })
      const user = await succeed(running.service.store.findUserByEmail('ada@example.com'))
      const entries = await succeed(
        running.service.store.readEvents({ after: 0, limit: 100, type: 'PasswordChanged' }),
      )
      expect(
        entries.map(({ type, version, subject, actor, request_id, data }) => ({
          type,
          version,
          subject,
          actor,
          request_id,
          data,
        })),
      ).to.deep.equal([
        {
          type: 'PasswordChanged',
          version: 1,
          subject: { kind: 'user', id: running.user.id },
          actor: { kind: 'user', id: running.user.id },
          request_id: 'one-change',
          data: {
            password_version: 2,
            password_digest: createHash('sha256')
              .update(isSome(user) ? user.value.passwordRecord : '')
              .digest('hex'),
            session_id: signedIn?.type === 'UserSignedIn' && signedIn.data.session_id,
          },
        },
      ])
    })

    it('reads fields from a JSON body only', async () => {
      const query = new URLSearchParams(CHANGE).toString()
      const inQuery = await running.send({ method, path: `${PATH}?${query}`, token })
      expect(inQuery.status).to.equal(422)
      const inForm = await running.send({
        method,
        path: PATH,
        token,
        body: query,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(inForm.status).to.equal(415)
      expect((await signIn(OLD)).status).to.equal(200)
    })

    it('refuses an application token with 403', async () => {
      token = await running.applicationToken()
      const answer = await change()
      expect(answer.status).to.equal(403)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 403,
        message: 'This operation requires a user token.',
      })
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope"',
      )
    })

    it('returns 401 without a token', async () => {
      const answer = await running.send({ method, path: PATH, body: CHANGE })
      expect(answer.status).to.equal(401)
      expect(answer.headers['www-authenticate']).to.equal('Bearer realm="portcullis"')
    })
  })
}

describe('HEAD /api/v1/profile/change_password', () => {
  it('is 405 because changing a password is not a safe method', () =>
    withService({}, async (running) => {
      const token = await running.userToken()
      const answer = await running.send({ method: 'HEAD', path: PATH, token })
      expect(answer.status).to.equal(405)
      expect(answer.headers.allow).to.equal('GET, POST, OPTIONS')
      expect(answer.body).to.equal(undefined)
    }))
})
