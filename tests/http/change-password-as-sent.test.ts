import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** A password, and another one that a careless comparison takes for the same. */
const TWINS: ReadonlyArray<[string, string, string]> = [
  ['a space at the end', 'secret ', 'secret'],
  ['a space at the front', ' secret', 'secret'],
  ['a line feed at the end', 'secret\n', 'secret'],
  ['U+0000 at the end', 'secret\0', 'secret'],
  ['U+0000 in the middle', 'secret\0one', 'secret\0two'],
  ['capitals', 'Secret', 'secret'],
  ['a composed letter', 'caf\u00e9', 'cafe\u0301'],
  ['a ligature', '\ufb01sh', 'fish'],
  ['a fullwidth letter', '\uff53ecret', 'secret'],
  ['a zero width space', 'secret\u200b', 'secret'],
  ['a byte order mark', '\ufeffsecret', 'secret'],
  ['a character beyond the basic plane', 'secret💥', 'secret\ufffd'],
  ['nothing but a space', ' ', '  '],
  ['the 73rd byte', 'x'.repeat(73), 'x'.repeat(72)],
  ['the 65th byte', 'x'.repeat(65), 'x'.repeat(64)],
  ['the last of 4000 characters', 'x'.repeat(4000), `${'x'.repeat(3999)}y`],
]

onMemory('passwords are used exactly as sent', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const change = (token: string, from: string, to: string, check = to) =>
    running.send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token,
      body: { old_password: from, new_password: to, new_password_check: check },
    })

  const signIn = async (email: string, password: string) => {
    const { status, body } = await running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body: { email, password },
    })
    return status === 422 ? body.errors[0].code : status
  }

  TWINS.forEach(([what, password, twin], index) => {
    describe(what, () => {
      const email = `user-${index}@example.com`
      let token: string
      before(async () => {
        await succeed(running.service.registerUser(CONTEXT, { email, password: 'first' }, OPERATOR))
        token = await running.userToken({ email, password: 'first' })
      })

      it('differs from its twin as new_password_check: code 5', async () => {
        const answer = await change(token, 'first', password, twin)
        expect(answer.status).to.equal(422)
        expect(answer.body.errors).to.deep.equal([
          { code: 5, param: 'new_password_check', message: 'new_password_check differs from new_password.' },
        ])
      })

      it('signs in and matches as old password; its twin does neither', async () => {
        expect((await change(token, 'first', password)).status).to.equal(200)
        expect(await signIn(email, password)).to.equal(200)
        expect(await signIn(email, twin)).to.equal(3)
        const answer = await change(token, twin, 'next')
        expect(answer.status).to.equal(422)
        expect(answer.body.errors).to.deep.equal([
          { code: 4, param: 'old_password', message: 'old_password is not the current password.' },
        ])
        expect((await change(token, password, 'next')).status).to.equal(200)
      })
    })
  })
})
