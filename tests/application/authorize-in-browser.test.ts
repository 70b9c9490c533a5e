import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { authorizeInBrowser } from '../../application/openid/authorize-in-browser.ts'
import { fail } from '../support/outcome.ts'
import { type BrowserWorld, newBrowserWorld } from './browser-world.ts'
import { CONTEXT } from './world.ts'

describe('authorizeInBrowser, given that something ends the session of the pages meanwhile', () => {
  let world: BrowserWorld
  before(async () => {
    world = await newBrowserWorld()
  })

  const SETTINGS = {
    userTokenTtlSeconds: 3_600,
    idleTtlSeconds: undefined,
    sessionTtlSeconds: 86_400,
    rememberTtlSeconds: undefined,
  }
  const WISHES = { prompts: new Set<string>(), acr: 'aal1', subject: undefined } as const
  const REQUESTS: ReadonlyArray<
    readonly [
      since: string,
      { maxAgeSeconds: number | undefined; continuedSince: number | undefined },
      seconds?: number,
    ]
  > = [
    ['10 seconds ago, with max_age=10', { maxAgeSeconds: 10, continuedSince: undefined }, 10],
    ['as a page has said, after that page', { maxAgeSeconds: undefined, continuedSince: 1_000 }],
  ]
  for (const [since, wishes, seconds] of REQUESTS)
    it(`asks for an authentication since ${since}`, async () => {
      const visitor = await world.signIn()
      const needed = await fail(
        authorizeInBrowser({
          store: { listFactors: () => TE.right([]) },
          clock: world.clock.read,
          openByBrowser: () => TE.left({ _tag: 'InvalidToken' }),
          settings: SETTINGS,
        })(CONTEXT, { visitor: some(visitor), application: world.shop, wishes: { ...WISHES, ...wishes } }),
      )
      const now = Math.floor(world.clock.read() / 1000)
      expect(needed).to.deep.include({
        step: 'sign_in',
        sinceSeconds: seconds === undefined ? wishes.continuedSince : now - seconds,
      })
    })
})
