import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { settings } from '../support/settings.ts'
import { inTurns, turns } from '../support/turns.ts'

/** Each with an application, a user and a token of their own. */
const RACES = Number(process.env.REVOCATION_RACES ?? 50)
const SECONDS_FOR_A_RACE = 0.2

const PASSWORD = 'correct horse'

type Race = Readonly<{
  what: 'PasswordRecovered' | 'EmailConfirmed'
  applicationId: string
  userId: string
  complete: (service: Service) => TaskEither<unknown, unknown>
}>

onEveryStore('completions beside the revocation of their application', (stores) => {
  for (const instances of [1, 2]) {
    it(`none of ${RACES} is logged behind it: instances on the store: ${instances}`, async function () {
      this.timeout(20_000 + RACES * SECONDS_FOR_A_RACE * 1000)
      const { environment, modules } = await stores.lasting()
      let hashes = 0
      const hasher = plainHasher(async (work) => {
        if (work === 'hash') {
          hashes += 1
          await turns(10) // so that some revocations come between the decision and the commit
        }
        return undefined
      })
      const start = () =>
        compose(
          settings({ ...environment, THROTTLE_RECOVERIES: '1000000' }),
          ...modules,
          provide(Dependency.passwordHasher, () => hasher),
        )
      const first = await start()
      const services = [first, ...(instances === 2 ? [await start()] : [])]
      const on = (index: number): Service => services[index % services.length] ?? first
      try {
        const races = await inTurns(Array.from({ length: RACES }), (index) => prepare(on(index), index))
        const hashesBefore = hashes
        const succeeded = await inTurns(races, async (index) => {
          const { complete, applicationId } = races[index] as Race
          const [completed] = await Promise.all([
            turns(5 * (index % 3)).then(() => complete(on(index))()),
            turns(5 * (index % 7)).then(() =>
              succeed(on(index + 1).revokeApplication(CONTEXT, applicationId)),
            ),
          ])
          if (!isRight(completed))
            expect(completed.left).to.deep.equal({ _tag: 'Invalid', problems: ['TokenInvalid'] })
          return isRight(completed)
        })

        const log = await eventsOf(first.store, 'PasswordRecovered', 'EmailConfirmed', 'ApplicationRevoked')
        const positions = new Map(
          log.map(({ type, subject, position }) => [`${type} ${subject.id}`, position]),
        )
        const behind = races.filter(({ what, userId, applicationId }) => {
          const revoked = positions.get(`ApplicationRevoked ${applicationId}`) ?? 0
          return (positions.get(`${what} ${userId}`) ?? 0) > revoked
        })
        expect(behind).to.deep.equal([])
        const logged = races.filter(({ what, userId }) => positions.has(`${what} ${userId}`))
        expect(logged).to.deep.equal(races.filter((_, index) => succeeded[index]))
        expect(logged.length, 'some before the revocation, some not').to.be.within(1, RACES - 1)
        const ofRecoveries = races.filter(({ what }) => what === 'PasswordRecovered')
        const recovered = logged.filter(({ what }) => what === 'PasswordRecovered')
        const hashed = hashes - hashesBefore
        expect(hashed, 'some meet the revocation behind their hash').to.be.above(recovered.length)
        expect(hashed, 'none hashes twice').to.be.at.most(ofRecoveries.length)
        expect((await succeed(first.checkLog)).disagreements).to.deep.equal([])
      } finally {
        for (const service of services) await service.stop()
      }
    })
  }
})

/** An application, a user and a token that the application has mailed. */
const prepare = async (service: Service, index: number): Promise<Race> => {
  const email = `user-${index}@example.com`
  const { id: userId } = await succeed(service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))
  const scope = 'users:recover users:confirm_email'
  const keys = await succeed(service.registerApplication(CONTEXT, { name: `desk ${index}`, scope }))
  const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
  const made = { applicationId: keys.application.id, userId }
  if (index % 2 === 0) {
    const caller = await succeed(service.authenticate(CONTEXT, 'startRecovery', token))
    const { account } = await succeed(service.startRecovery(CONTEXT, caller, { email }))
    const request = { token: toUndefined(account)?.token, newPassword: 'new', newPasswordCheck: 'new' }
    return { ...made, what: 'PasswordRecovered', complete: (at) => at.completeRecovery(CONTEXT, request) }
  }
  const caller = await succeed(service.authenticate(CONTEXT, 'startEmailConfirmation', token))
  const other = { userId, email: `other-${email}`, password: PASSWORD }
  const request = { token: (await succeed(service.startEmailConfirmation(CONTEXT, caller, other))).token }
  return { ...made, what: 'EmailConfirmed', complete: (at) => at.completeEmailConfirmation(CONTEXT, request) }
}
