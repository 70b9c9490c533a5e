import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { mailLinkSettings, ON_ITS_WAY } from '../support/mail-links.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import type { RunningService } from '../support/running-service.ts'
import { withService } from '../support/with-service.ts'

const RECOVERY = '/api/v1/users/recovery/mail'
const EMAIL = '/api/v1/profile/email'
const USERS = '/api/v1/users'
const EVE = { email: 'eve@example.com', password: 'correct horse' }

const asking = async ({ send, applicationToken, userToken }: RunningService) => {
  const [application, user] = [await applicationToken(), await userToken()]
  return {
    recovery: (body: object, headers: Record<string, string> = {}) =>
      send({ method: 'POST', path: RECOVERY, token: application, body, headers }),
    email: (body?: object) =>
      send({ method: 'POST', path: EMAIL, token: user, ...(body === undefined ? {} : { body }) }),
    register: (body: object) => send({ method: 'POST', path: USERS, token: application, body }),
  }
}

describe('the routes that mail links', () => {
  it('return the same bytes for a known, unknown, disabled, removed and malformed e-mail', async () => {
    await withService(mailLinkSettings(), async (running) => {
      const { recovery, register } = await asking(running)
      const answerTo = async (email: string) => {
        const { status, headers, body } = await recovery({ email, language: 'de' })
        const { date: _, 'x-request-id': __, ...same } = headers
        return { status, same, body: JSON.stringify(body) }
      }
      const known = await answerTo(running.user.email)
      expect([known.status, known.body]).to.deep.equal([200, JSON.stringify(ON_ITS_WAY)])
      for (const email of ['unknown@example.com', 'malformed', 'ünknown@bücher.example', '\0'])
        expect(await answerTo(email), email).to.deep.equal(known)
      await register(EVE)
      await succeed(running.service.disableUser(CONTEXT, EVE.email))
      expect(await answerTo(EVE.email)).to.deep.equal(known)
      await succeed(running.service.removeUser(CONTEXT, EVE.email))
      expect(await answerTo(EVE.email)).to.deep.equal(known)
    })
  })

  it('have the codes of docs/routes.md, each with its field', async () => {
    await withService(mailLinkSettings(), async (running) => {
      const { recovery, email, register } = await asking(running)
      await register(EVE)
      const codes = async (answer: ReturnType<typeof recovery>) => {
        const { status, body } = await answer
        return [status, body.errors.map(({ code, param }: { code: number; param: string }) => [code, param])]
      }
      const wrong = { language: 'German', return_to: 'https://evil.example/' }
      expect(await codes(recovery(wrong))).to.deep.equal([
        422,
        [
          [1, 'email'],
          [2, 'language'],
          [3, 'return_to'],
        ],
      ])
      expect(await codes(email({ email: 'eve', ...wrong }))).to.deep.equal([
        422,
        [
          [1, 'password'],
          [2, 'email'],
          [5, 'language'],
          [6, 'return_to'],
        ],
      ])
      const { password } = running.user
      expect(await codes(email({ email: EVE.email, password }))).to.deep.equal([422, [[3, 'email']]])
      expect(await codes(email({ email: EVE.email, password: 'x' }))).to.deep.equal([422, [[4, 'password']]])
      expect(await codes(register({ ...EVE, email: 'new@example.com', language: '-' }))).to.deep.equal([
        422,
        [[12, 'language']],
      ])
      expect((await email()).status).to.equal(200)
    })
  })

  it('wait with Retry-After after five mails, and with an invalid address of the end user are 400', async () => {
    await withService(mailLinkSettings(), async (running) => {
      const { recovery } = await asking(running)
      for (let each = 0; each < 5; each += 1) expect((await recovery(EVE)).status).to.equal(200)
      const { status, headers } = await recovery(EVE)
      expect([status, Number(headers['retry-after']) > 0]).to.deep.equal([429, true])
      expect((await recovery(EVE, { 'x-end-user-address': 'nowhere' })).status).to.equal(400)
    })
  })

  it('are 503 with the outcome "none" while the outbox is full', async () => {
    const { store, outbox } = memoryStorage()
    const full = { ...outbox, put: () => async () => left({ _tag: 'OutboxFull' } as const) }
    await withService(
      mailLinkSettings(),
      async (running) => {
        const { recovery, email } = await asking(running)
        for (const answer of [await recovery(EVE), await email()]) {
          expect([answer.status, answer.body.outcome, answer.headers['retry-after']]).to.deep.equal([
            503,
            'none',
            '5',
          ])
        }
      },
      provide(Dependency.storage, () => ({ store, outbox: full })),
    )
  })

  for (const [what, environment] of [
    ['MAIL_URL', {}],
    ['ACCOUNT_PAGES=on', { ...mailLinkSettings(), ACCOUNT_PAGES: 'off' }],
  ] as const)
    it(`are 404 without ${what}, and a registration cannot ask for a mail`, async () => {
      await withService(environment, async (running) => {
        const { recovery, email, register } = await asking(running)
        expect([(await recovery(EVE)).status, (await email()).status]).to.deep.equal([404, 404])
        const { status, body } = await register({ ...EVE, send_confirmation: true })
        expect([status, body.errors[0].code, body.errors[0].param]).to.deep.equal([
          422,
          11,
          'send_confirmation',
        ])
        expect((await register({ ...EVE, send_confirmation: 'true', language: 'de' })).status).to.equal(201)
      })
    })
})
