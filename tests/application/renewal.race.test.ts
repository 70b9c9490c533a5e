import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import type { ApplicationCaller, UserCaller } from '../../domain/access.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { timed } from '../support/second-factor-service.ts'
import { settings } from '../support/settings.ts'
import { inTurns, turns } from '../support/turns.ts'

/** Each with an application, a user and two sessions of their own. */
const RACES = Number(process.env.RENEWAL_RACES ?? 50)
const SECONDS_FOR_A_RACE = 0.2

const PASSWORD = 'correct horse'

type Race = Readonly<{
  userId: string
  email: string
  applicationId: string
  caller: ApplicationCaller
  token: string
  session: UserCaller
  /** Another session of the user. */
  other: UserCaller
}>

/** What ends the session: the event, and the use case. */
const ENDINGS: ReadonlyArray<
  readonly [ends: EventType, end: (service: Service, race: Race) => Promise<unknown>]
> = [
  ['UserSignedOut', (service, { session }) => succeed(service.signOut(CONTEXT, session))],
  [
    'PasswordChanged',
    (service, { other }) => {
      const request = { oldPassword: PASSWORD, newPassword: 'new', newPasswordCheck: 'new' }
      return succeed(service.changePassword(CONTEXT, other, request))
    },
  ],
  ['OtherSessionsEnded', (service, { other }) => succeed(service.endOtherSessions(CONTEXT, other))],
  ['UserDisabled', (service, { email }) => succeed(service.disableUser(CONTEXT, email))],
  [
    'ApplicationRevoked',
    (service, { applicationId }) => succeed(service.revokeApplication(CONTEXT, applicationId)),
  ],
]

/** A few do not race, so that some are written and some are not, however busy the machine is. */
const orderOf = (index: number): 'end first' | 'end last' | 'at once' => {
  const round = Math.floor(index / ENDINGS.length) % 10
  return round === 0 ? 'end first' : round === 1 ? 'end last' : 'at once'
}

/** With expired tokens, each first renewal moves the expiry by more than an eighth of the idle time. */
const LIFETIMES = {
  valid: { SESSION_TTL: '86400' },
  expired: { USER_TOKEN_TTL: '60', SESSION_IDLE_TTL: '43200', SESSION_TTL: '86400' },
} as const
const EXPIRED_SECONDS = 20_000

onEveryStore('renewals and step-ups beside what ends their session', (stores) => {
  for (const [instances, tokens] of [
    [1, 'valid'],
    [2, 'valid'],
    [2, 'expired'],
  ] as const) {
    it(`none of ${RACES} revives it or is logged behind its end: instances on the store: ${instances}, tokens: ${tokens}`, async function () {
      this.timeout(20_000 + RACES * SECONDS_FOR_A_RACE * 1000)
      const { environment, modules } = await stores.lasting()
      const time = { now: Date.now() }
      const start = () =>
        compose(
          settings({ ...environment, ...LIFETIMES[tokens] }),
          ...modules,
          ...timed(time),
          provide(Dependency.passwordHasher, () => plainHasher()),
        )
      const first = await start()
      const services = [first, ...(instances === 2 ? [await start()] : [])]
      const on = (index: number): Service => services[index % services.length] ?? first
      const endingOf = (index: number) => ENDINGS[index % ENDINGS.length] as (typeof ENDINGS)[number]
      try {
        const races = await inTurns(Array.from({ length: RACES }), (index) => prepare(on(index), index))
        if (tokens === 'expired') time.now += 1000 * EXPIRED_SECONDS
        const gained = await inTurns(races, async (index) => {
          const race = races[index] as Race
          const renew = async (at: Service) => at.renewSession(CONTEXT, race.caller, { token: race.token })()
          const stepUp = (at: Service) => at.stepUp(CONTEXT, race.session, { password: PASSWORD })()
          const end = () => endingOf(index)[1](on(index + 1), race)
          const order = orderOf(index)
          if (order === 'end first') await end()
          const [one, another, step] = await Promise.all([
            turns(4 * (index % 3)).then(() => renew(on(index))),
            turns(4 * (index % 4)).then(() => renew(on(index + 1))),
            turns(3 * (index % 5)).then(() => stepUp(on(index))),
            order === 'at once' ? turns(3 * (index % 7)).then(end) : undefined,
          ])
          if (order === 'end last') await end()
          for (const outcome of [one, another])
            if (!isRight(outcome))
              expect(outcome.left).to.deep.equal({ _tag: 'Invalid', problems: ['TokenUnusable'] })
          if (!isRight(step))
            expect(step.left).to.deep.equal(
              endingOf(index)[0] === 'PasswordChanged'
                ? { _tag: 'Invalid', problems: ['PasswordWrong'] }
                : { _tag: 'InvalidToken' },
            )
          const tokensOf = (...outcomes: ReadonlyArray<typeof one | typeof step>) =>
            outcomes.flatMap((outcome) => (isRight(outcome) ? [outcome.right.token] : []))
          return { renewed: tokensOf(one, another), steppedUp: tokensOf(step) }
        })

        for (const [index, { token }] of races.entries())
          for (const ended of [token, ...(gained[index]?.renewed ?? []), ...(gained[index]?.steppedUp ?? [])])
            for (const service of services)
              expect(await fail(service.authenticate(CONTEXT, 'getProfile', ended))).to.have.property(
                '_tag',
                'InvalidToken',
              )
        const ends = await eventsOf(first.store, ...ENDINGS.map(([type]) => type))
        const renewals = await eventsOf(first.store, 'SessionRenewed')
        const stepUps = await eventsOf(first.store, 'SessionSteppedUp')
        const story = races.map(({ userId, applicationId }, index) => ({
          renewals: renewals.filter(({ subject }) => subject.id === userId),
          stepUps: stepUps.filter(({ subject }) => subject.id === userId),
          end: ends.find(
            ({ type, subject }) =>
              type === endingOf(index)[0] && [userId, applicationId].includes(subject.id),
          ),
        }))
        for (const [index, { renewals, stepUps, end }] of story.entries()) {
          expect(renewals, 'one for both renewals').to.have.lengthOf(
            gained[index]?.renewed.length === 0 ? 0 : 1,
          )
          expect(stepUps).to.have.lengthOf(gained[index]?.steppedUp.length ?? 0)
          for (const { position } of [...renewals, ...stepUps]) expect(end?.position).to.be.above(position)
        }
        for (const written of [renewals, stepUps])
          expect(written.length, 'some before the end, some not').to.be.within(1, RACES - 1)
        expect((await succeed(first.checkLog)).disagreements).to.deep.equal([])
      } finally {
        for (const service of services) await service.stop()
      }
    })
  }
})

/** An application, and a user whom it has signed in twice. */
const prepare = async (service: Service, index: number): Promise<Race> => {
  const user = { email: `user-${index}@example.com`, password: PASSWORD }
  const { id: userId } = await succeed(service.registerUser(CONTEXT, user, OPERATOR))
  const keys = await succeed(
    service.registerApplication(CONTEXT, { name: `shop ${index}`, scope: 'users:sign_in' }),
  )
  const issued = await succeed(service.issueApplicationToken(CONTEXT, keys))
  const caller = await succeed(service.authenticate(CONTEXT, 'renewSession', issued.token))
  const signIn = async () => {
    const { token } = await succeed(service.signIn(CONTEXT, caller, user))
    return { token, session: await succeed(service.authenticate(CONTEXT, 'changePassword', token)) }
  }
  const { session: other } = await signIn()
  return {
    userId,
    email: user.email,
    applicationId: keys.application.id,
    caller,
    other,
    ...(await signIn()),
  }
}
