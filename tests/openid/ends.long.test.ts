import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { eventsOf } from '../support/events.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { IDLE_SECONDS, OF_OTHERS, OF_TIME, SESSION_SECONDS } from './causes-beside.ts'
import { OF_BROWSERS, OF_TOKENS } from './causes-by-person.ts'
import type { TestClient } from './openid-service.ts'
import { endedOf, PARTS, signedInWith } from './signed-in.ts'
import { startTwoProviders, statusAt, type TwoProviders } from './two-providers.ts'

const CAUSES = { ...OF_BROWSERS, ...OF_TOKENS, ...OF_OTHERS, ...OF_TIME }

onEverySharedStore('an end of a session, at each of two OpenID providers on one store', (stores) => {
  let providers: TwoProviders
  let blog: TestClient

  before(async () => {
    providers = await startTwoProviders(stores, {
      environment: {
        USER_TOKEN_TTL: '600',
        SESSION_IDLE_TTL: `${IDLE_SECONDS}`,
        SESSION_TTL: `${SESSION_SECONDS}`,
      },
    })
    blog = await providers.newClient('blog')
  })
  after(() => providers.stop())

  const named = (parts: ReadonlyArray<string>): string =>
    parts.length === PARTS.length ? 'everything' : parts.length === 0 ? 'nothing' : parts.join(', ')

  for (const [what, { end, here, there, writes, emailVerified }] of Object.entries(CAUSES))
    it(`${what} ends ${named(here)} in this browser, and ${named(there)} in another one`, async () => {
      const person = await providers.newPerson(emailVerified)
      const client = await providers.newClient('shop')
      const first = await signedInWith(providers, person, client)
      providers.passSeconds(1) // so the sessions of this browser expire first
      const ends = { providers, here: first, there: await signedInWith(providers, person, client) }
      for (const at of providers.both)
        for (const { access } of [ends.here, ends.there])
          expect(await statusAt(at, '/api/v1/profile', access)).to.equal(200)
      const written = async () =>
        writes === undefined ? 0 : (await eventsOf(providers.store, writes)).length
      const before = await written()
      await end(ends)
      if (writes !== undefined) expect(await written()).to.be.greaterThan(before)
      expect(await endedOf(providers, ends.here, blog)).to.deep.equal([here, here])
      expect(await endedOf(providers, ends.there, blog)).to.deep.equal([there, there])
      const { disagreements } = await succeed(
        checkLog({ store: providers.store, clock: () => providers.time.now, digests: nodeDigests }),
      )
      expect(disagreements).to.deep.equal([])
    })
})
