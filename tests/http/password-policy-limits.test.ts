import { rename } from 'node:fs/promises'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { plainEstimator } from '../support/fake-passwords.ts'
import type { Answer } from '../support/http-client.ts'
import { ADA, GOOD, type NistService, startNistService } from '../support/nist-service.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'

const withNist = async (start: Promise<NistService>, use: (running: NistService) => Promise<void>) => {
  const running = await start
  try {
    await use(running)
  } finally {
    await running.stop()
  }
}

const expectUnavailable = (answer: Answer, message: string, retryAfter: string): void => {
  expect(answer.status).to.equal(503)
  expect(answer.headers['retry-after']).to.equal(retryAfter)
  expect(answer.body).to.deep.equal({ success: false, code: 503, message, outcome: 'none' })
}

describe('a service that checks passwords', () => {
  it('enforces the configured minimum length and names it', () =>
    withNist(startNistService({ PASSWORD_MIN_LENGTH: '20' }), async ({ register, change }) => {
      for (const answer of [await register('a@b.test', GOOD.slice(0, 19)), await change(GOOD.slice(0, 19))]) {
        expect(answer.body.errors[0].message).to.match(/^(new_)?password has fewer than 20 characters\.$/)
      }
      expect((await register('a@b.test', GOOD.slice(0, 20))).status).to.equal(201)
    }))

  it('returns 503 while its list cannot be read, logs the cause and changes nothing', () => {
    const { log, lines } = capturedLog()
    const logged = provide(Dependency.log, () => log)
    return withNist(
      startNistService({}, ['any'], logged),
      async ({ service, list, register, change, signInStatus }) => {
        const before = await succeed(service.store.readEvents({ after: 0, limit: 100 }))
        await rename(list, `${list}.aside`)
        for (const answer of [await register('a@b.test', GOOD), await change(GOOD)]) {
          expectUnavailable(answer, 'The server cannot check passwords now.', '5')
        }
        const causes = lines.map((line) => JSON.parse(line).cause).filter((cause) => cause !== undefined)
        expect(causes).to.deep.equal(Array(2).fill('the list of leaked passwords cannot be read: ENOENT'))
        for (const secret of [GOOD, ADA.password, ADA.email]) expect(lines.join()).not.to.include(secret)
        expect(await succeed(service.store.readEvents({ after: 0, limit: 100 }))).to.deep.equal(before)
        expect((await register('a@b.test', 'too short')).status, 'it is not looked up').to.equal(422)
        expect(await signInStatus(ADA.email, ADA.password), 'no new password').to.equal(200)

        await rename(`${list}.aside`, list)
        expect((await register('a@b.test', GOOD)).status).to.equal(201)
      },
    )
  })

  it('returns 503 while the estimator is overloaded', () => {
    let isBusy = false
    const estimator = provide(Dependency.passwordEstimator, () => ({
      ...plainEstimator,
      estimate: (text: string) =>
        isBusy ? left({ _tag: 'Overloaded' as const, retryAfterSeconds: 1 }) : plainEstimator.estimate(text),
    }))
    return withNist(startNistService({}, ['any'], estimator), async ({ register, change }) => {
      isBusy = true
      for (const answer of [await register('a@b.test', GOOD), await change(GOOD)]) {
        expectUnavailable(answer, 'The server is overloaded. Try again later.', '1')
      }
    })
  })

  it('answers other requests while it estimates passwords', () =>
    withNist(startNistService(), async ({ service, send }) => {
      const hard = '4@8({[</\\361!|0$5+7%2'.repeat(700)
      let waiting = 10
      const registrations = Array.from({ length: waiting }, (_, index) =>
        succeed(
          service.registerUser(CONTEXT, { email: `a${index}@b.test`, password: hard }, OPERATOR),
        ).finally(() => {
          waiting -= 1
        }),
      )
      let answered = 0
      while (waiting > 0) {
        expect((await send({ method: 'GET', path: '/healthz' })).status).to.equal(200)
        answered += 1
      }
      await Promise.all(registrations)
      expect(answered).to.be.greaterThan(20) // if an estimate blocked the event loop, at most one would fit between two of them
    }))

  it('closes the estimator when it stops', async () => {
    let closed = 0
    const estimator = provide(Dependency.passwordEstimator, () => ({
      ...plainEstimator,
      close: async () => {
        closed += 1
      },
    }))
    await withNist(startNistService({}, ['any'], estimator), async () => {})
    expect(closed).to.equal(1)
  })
})
