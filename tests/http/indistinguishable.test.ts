import { expect } from 'chai'
import { foreignRecords } from '../support/foreign-records.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const PASSWORD = 'correct horse'

/**
 * These responses must not differ in bytes (here) or in time (`make bench-oracle`). `application-token.test.ts` compares those to wrong
 * API keys.
 */
onMemory('a refused sign-in has the same bytes for every reason', (stores) => {
  let running: RunningService
  let removedId: string
  const foreign: Array<readonly [email: string, record: string]> = []
  before(async () => {
    running = await startService(await stores.fresh())
    const { service } = running
    const register = async (email: string): Promise<string> =>
      (await succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))).id
    await register('disabled@example.com')
    await succeed(service.disableUser(CONTEXT, 'disabled@example.com'))
    removedId = await register('removed@example.com')
    await succeed(service.removeUser(CONTEXT, 'removed@example.com'))
    for (const { record, scheme } of await foreignRecords(PASSWORD)) {
      const user = aUser({ passwordRecord: record, passwordScheme: scheme })
      foreign.push([user.email, record])
      await commitAll(service.store, change(registered(user)))
    }
  })
  after(() => running.stop())

  const signIn = async (email: string, password: string): Promise<string> => {
    const headers = [
      'Content-Type: application/json',
      `Authorization: Bearer ${await running.applicationToken()}`,
    ]
    const text = requestText('POST', '/api/v1/auth/user/token', headers, JSON.stringify({ email, password }))
    return withoutDateAndId(await sendRaw(running.port, text))
  }
  const REFUSAL = [
    'HTTP/1.1 422 Unprocessable Entity',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    'Content-Length: 175',
    'Connection: close',
    '',
    '{"success":false,"code":422,"message":"Some fields are missing or wrong; see errors.",' +
      '"errors":[{"code":3,"message":"password does not match the e-mail.","param":"password"}]}',
  ].join('\r\n')

  const REASONS: ReadonlyArray<[string, () => Promise<string>]> = [
    ['an unknown e-mail', () => signIn('nobody@example.com', PASSWORD)],
    ['a wrong password', () => signIn(running.user.email, 'wrong')],
    ['a disabled user and a wrong password', () => signIn('disabled@example.com', 'wrong')],
    ['a disabled user and the right password', () => signIn('disabled@example.com', PASSWORD)],
    ['the e-mail of a removed user', () => signIn('removed@example.com', PASSWORD)],
    ['the id of a removed user', () => signIn(removedId, PASSWORD)],
  ]
  for (const [reason, refused] of REASONS) {
    it(reason, async () => {
      expect(await refused()).to.equal(REFUSAL)
    })
  }

  it('a wrong password of a user with a record of another system', async () => {
    for (const [email, record] of foreign) expect(await signIn(email, 'wrong'), record).to.equal(REFUSAL)
  })
})
