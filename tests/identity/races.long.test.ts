import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'
import { memoryIdentityProvider, type Person } from '../testkit/identity-provider/memory-identity-provider.ts'
import { BACK, COMPLETE, LINK, REMOVE, START } from './identity-desk.ts'

const ROUNDS = 8
const AT_ONCE = 6

onEverySharedStore('identities at two instances at once', function (stores) {
  this.timeout(60_000)
  const google = memoryIdentityProvider()
  const github = memoryIdentityProvider({ name: 'github', label: 'GitHub', issuer: 'https://github.com' })
  let both: TwoInstances
  let store: Store
  let shop: string
  before(async () => {
    const { store: beside, ...lasting } = await stores.lasting()
    store = beside
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      { ...FACTOR_SETTINGS, IDENTITY_REGISTRATION: 'on', THROTTLE_SIGN_INS: '1000' },
      ...lasting.modules,
      provide(Dependency.identityProviders, () => [google, github]),
    )
    const scope = 'users:sign_in users:register users:confirm_email'
    const { service } = both.one
    const made = await succeed(
      service.registerApplication(CONTEXT, { name: 'shop', scope, redirectUris: [BACK] }),
    )
    shop = (await succeed(service.issueApplicationToken(CONTEXT, made))).token
  })
  after(async () => {
    const { disagreements } = await succeed(checkLog({ store, clock: Date.now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
    await both.stop()
  })

  const post = (at: number, path: string, token: string, body: object): Promise<Answer> =>
    (at % 2 === 0 ? both.one : both.other).send({ method: 'POST', path, token, body })
  const proved = async (person: Person, path = START, token = shop, provider = google) => {
    const { body } = await post(0, path, token, { provider: provider.name, redirect_uri: BACK })
    return { transaction: body.transaction, answer: provider.signIn(body.url, person) }
  }
  const atOnce = async (person: Person): Promise<ReadonlyArray<Answer>> => {
    const sent = await Promise.all(Array.from({ length: AT_ONCE }, () => proved(person)))
    return Promise.all(sent.map((body, at) => post(at, COMPLETE, shop, body)))
  }
  let people = 0
  const newPerson = () => {
    people += 1
    return { id: people, email: `race${people}@lovelace.example` }
  }
  const register = async (email: string) => {
    const { body } = await post(0, '/api/v1/users', shop, {
      email,
      password: 'correct horse',
      email_verified: true,
    })
    return body.id as string
  }
  const withPassword = async (email: string): Promise<string> =>
    (await post(0, '/api/v1/auth/user/token', shop, { email, password: 'correct horse' })).body.token
  const isAlive = async (token: string): Promise<boolean> =>
    (await both.other.send({ method: 'GET', path: '/api/v1/profile', token })).status === 200
  const identitiesOf = async (token: string): Promise<ReadonlyArray<string>> =>
    (await both.one.send({ method: 'GET', path: '/api/v1/profile/factors', token })).body.factors.map(
      ({ id }: { id: string }) => id,
    )

  it('make one user of the first sign-ins of one person', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await atOnce(newPerson())
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(AT_ONCE).fill(200))
      expect(new Set(answers.map(({ body }) => body.user_id)).size).to.equal(1)
      expect(answers.filter(({ body }) => body.is_new)).to.have.length(1)
    }
  })

  it('are linked once by the first sign-ins of one person', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson()
      const id = await register(person.email)
      const answers = await atOnce(person)
      expect(answers.map(({ status, body }) => [status, body.user_id])).to.deep.equal(
        Array(AT_ONCE).fill([200, id]),
      )
    }
  })

  it('are linked to one of two users', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, two, identity] = [newPerson(), newPerson(), newPerson()]
      const tokens: Array<string> = []
      for (const { email } of [one, two]) {
        await register(email)
        tokens.push(await withPassword(email))
      }
      const sent = await Promise.all(tokens.map((token) => proved({ id: identity.id }, LINK, token)))
      const answers = await Promise.all(
        sent.map((body, at) => post(at, `${LINK}/complete`, tokens[at] ?? '', body)),
      )
      expect(answers.map(({ status }) => status)).to.have.members([201, 422])
      expect(answers.find(({ status }) => status === 422)?.body.errors[0].code).to.equal(9)
    }
  })

  it('never lose the last way in', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson()
      const { body: first } = await post(0, COMPLETE, shop, await proved(person))
      const linked = await proved({ id: person.id }, LINK, first.token, github)
      const { body: second } = await post(0, `${LINK}/complete`, first.token, linked)
      const ids = await identitiesOf(second.token)
      expect(ids).to.have.length(2)
      const answers = await Promise.all(
        ids.map((id, at) => post(at, REMOVE, second.token, { factor_id: id })),
      )
      expect(answers.map(({ status }) => status)).to.have.members([200, 422])
      expect(await identitiesOf(second.token)).to.have.length(1)
    }
  })

  it('leave no session of an identity that is unlinked meanwhile', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson()
      await register(person.email)
      const { body: first } = await post(0, COMPLETE, shop, await proved(person))
      const token = await withPassword(person.email)
      const [id] = await identitiesOf(token)
      const sent = await proved(person)
      const [removed, signedIn] = await Promise.all([
        post(0, REMOVE, token, { factor_id: id }),
        post(1, COMPLETE, shop, sent),
      ])
      expect(removed.status, first.user_id).to.equal(200)
      expect(signedIn.status).to.be.oneOf([200, 422])
      if (signedIn.status === 200) expect(await isAlive(signedIn.body.token)).to.equal(false)
    }
  })

  it('open no session past a second factor that is enrolled meanwhile', async () => {
    const desk = factorDesk(both.one, Date.now)
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = newPerson()
      await register(person.email)
      const token = await withPassword(person.email)
      const sent = await proved(person)
      const [{ answer: enrolled }, signedIn] = await Promise.all([
        desk.enrol(token),
        post(1, COMPLETE, shop, sent),
      ])
      const outcomes = [enrolled.status, signedIn.status]
      if (enrolled.status === 201 && signedIn.status === 200)
        expect(await isAlive(signedIn.body.token)).to.equal(false)
      // The sign-in ended the session that enrolled, or the app came first.
      else expect(outcomes.join(' ')).to.match(/^(?:401 200|201 422)$/)
    }
  })
})
