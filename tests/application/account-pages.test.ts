import { expect } from 'chai'
import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { currentAccountPages } from '../../application/pages/account-pages.ts'
import type { Store } from '../../application/ports/store.ts'
import { accountPagesId } from '../../domain/account-pages.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { allEvents, CONTEXT } from './world.ts'

const FIRST = '70616765-7300-8000-8000-000000000001'
const SECOND = '70616765-7300-8000-8000-000000000002'

const WITH_PAGES = { ACCOUNT_PAGES: 'on', PASSKEY_RP_ID: 'service.test' }

const start = (store: Store, environment = {}) =>
  compose(
    settings({ ...WITH_PAGES, ...environment }),
    provide(Dependency.storage, () => ({ store })),
  )

const types = async (store: Store) => (await allEvents(store)).map(({ type }) => type)

/** Everything but the signing keys, which each service makes too. */
const ofApplications = async (store: Store) =>
  (await types(store)).filter((type) => type !== 'SigningKeyCreated')

describe('the application of the account pages', () => {
  it('is made at the first start, with the origin of the pages, and stays as it is at the next', async () => {
    const store = memoryStore()
    await start(store)
    const made = toUndefined(await succeed(store.findApplication(FIRST)))
    expect(made).to.include({ name: 'Account pages', revoked: false, version: 2 })
    expect(made?.passkeyOrigins).to.deep.equal(['https://service.test'])
    await start(store)
    expect(await ofApplications(store)).to.deep.equal(['ApplicationRegistered', 'PasskeyOriginsSet'])
    const log = await succeed(checkLog({ store, clock: Date.now, digests: nodeDigests }))
    expect(log.disagreements).to.deep.equal([])
  })

  it('is not made without pages', async () => {
    const store = memoryStore()
    await start(store, { ACCOUNT_PAGES: 'off', PASSKEY_RP_ID: '' })
    expect(await ofApplications(store)).to.deep.equal([])
  })

  it('is one, if instances start together', async () => {
    const store = memoryStore()
    await Promise.all([1, 2, 3, 4].map(() => start(store)))
    expect(await ofApplications(store)).to.deep.equal(['ApplicationRegistered', 'PasskeyOriginsSet'])
  })

  for (const [origin, environment] of [
    ['https://account.service.test', { PUBLIC_URL: 'https://account.service.test' }],
    [undefined, { PUBLIC_URL: 'https://service.other' }],
    [undefined, { PASSKEY_RP_ID: '' }],
  ] as const)
    it(`has the passkey origin ${origin} after a start with ${JSON.stringify(environment)}`, async () => {
      const store = memoryStore()
      await start(store)
      await start(store, environment)
      const { passkeyOrigins } = toUndefined(await succeed(store.findApplication(FIRST))) ?? {}
      expect(passkeyOrigins).to.deep.equal(origin === undefined ? [] : [origin])
    })

  it('has no API key: none is made, none works, and no token is issued', async () => {
    const store = memoryStore()
    const service = await start(store)
    const rotation = { id: 'Account pages', overlapSeconds: 60 }
    expect(await fail(service.rotateApplicationKey(CONTEXT, rotation))).to.deep.equal({
      _tag: 'ApplicationKeyless',
    })
    const publicApiKey = `pk_${FIRST.replaceAll('-', '')}`
    for (const privateApiKey of ['-'.repeat(64), `sk_${'-'.repeat(43)}`, `sk_${'A'.repeat(43)}`])
      expect(
        await fail(service.issueApplicationToken(CONTEXT, { publicApiKey, privateApiKey })),
      ).to.have.property('_tag', 'InvalidClient')
  })

  it('is none of the accounts that keep a first run from making some', async () => {
    const service = await start(memoryStore())
    expect(isSome(await succeed(service.firstRun(CONTEXT)))).to.equal(true)
    expect(isSome(await succeed(service.firstRun(CONTEXT)))).to.equal(false)
  })
})

describe('the application of the account pages, once revoked', () => {
  it('stays so after a start, until an operator makes the next one, which running services see', async () => {
    const store = memoryStore()
    const service = await start(store)
    const current = currentAccountPages({ store })
    expect((await succeed(current())).application.id).to.equal(FIRST)
    await succeed(service.revokeApplication(CONTEXT, 'Account pages'))
    await start(store)
    expect(await fail(current())).to.deep.equal({ _tag: 'PagesClosed' })

    const made = await succeed(service.createAccountPages(CONTEXT))
    expect(made).to.deep.include({ hasChanged: true })
    expect(made.application).to.deep.include({ id: SECOND, passkeyOrigins: ['https://service.test'] })
    expect((await succeed(current())).application.id).to.equal(SECOND)
    expect(await succeed(service.createAccountPages(CONTEXT))).to.deep.include({ hasChanged: false })
    expect((await types(store)).filter((type) => type === 'ApplicationRegistered')).to.have.length(2)
  })

  it('gets one successor, if two operators make it together', async () => {
    const store = memoryStore()
    const service = await start(store)
    await succeed(service.revokeApplication(CONTEXT, FIRST))
    const both = await Promise.all([1, 2].map(() => succeed(service.createAccountPages(CONTEXT))))
    expect(both.map(({ application }) => application.id)).to.deep.equal([SECOND, SECOND])
    expect(isSome(await succeed(store.findApplication(accountPagesId(3))))).to.equal(false)
  })
})
