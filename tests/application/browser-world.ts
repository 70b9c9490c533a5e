import { map, none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'
import type { Environment } from '../../adapters/config/settings.ts'
import type { Application } from '../../domain/application.ts'
import { assuranceClaims } from '../../domain/assurance.ts'
import type { EventType } from '../../domain/event.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import { heldCommits } from '../support/held-commits.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld } from './world.ts'

/** The person who also uses the browser of Ada. */
export const EVE = { email: 'eve@example.com', password: 'old' }

/** A world with pages, the applications shop and desk, and Eve. It counts changes, and can hold one. */
export const newBrowserWorld = async (environment: Environment = {}) => {
  const world = await newWorld({ environment: { ACCOUNT_PAGES: 'on', SESSION_TTL: '86400', ...environment } })
  const { service, store, ada, clock } = world
  const { browsers } = service
  if (browsers === undefined) throw new Error('There are no pages.')
  const pages = await succeed(browsers.application())
  await succeed(service.registerUser(CONTEXT, EVE, OPERATOR))
  const made = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope: 'users:sign_in' }))
  const applicationOf = async (id: string): Promise<Application> => {
    const found = toUndefined(await succeed(store.findApplication(id)))
    if (found === undefined) throw new Error(`There is no application ${id}.`)
    return found
  }
  const [shop, desk] = await Promise.all(
    [world.shop, made].map(({ application: { id } }) => applicationOf(id)),
  )
  if (shop === undefined || desk === undefined) throw new Error('An application is missing.')

  const changes: Array<ReadonlyArray<EventType>> = []
  const { front, ...held } = heldCommits()
  const { commit } = front({ ...store })
  Object.assign(store, {
    commit: (change: Parameters<typeof commit>[0]) => async () => {
      const written = await commit(change)()
      if (written._tag === 'Right') changes.push(change.events.map(({ type }) => type))
      return written
    },
  })

  const factsOf = async (id: string): Promise<SessionFacts> => {
    const found = toUndefined(await succeed(store.findSession(id)))
    if (found === undefined) throw new Error(`There is no session ${id}.`)
    return found
  }
  const callerOf = async (id: string) => {
    const facts = await factsOf(id)
    return { kind: 'user' as const, presented: assuranceClaims(facts.session), ...facts }
  }
  /** Signs in on the pages, in a browser that has the former session. */
  const signIn = async ({
    user = ada,
    former = none,
  }: Readonly<{ user?: typeof EVE; former?: Option<SessionFacts> }> = {}) => {
    const formerSessionId = map(({ session }: SessionFacts) => session.id)(former)
    const context = { ...CONTEXT, browser: { cookie: browsers.cookies.newSecret().digest, formerSessionId } }
    return callerOf((await succeed(service.signIn(context, pages, user))).sessionId)
  }
  const open = async (visitor: Awaited<ReturnType<typeof signIn>>, application: Application = shop) =>
    succeed(browsers.open(CONTEXT, { visitor, application }))

  return {
    ...world,
    ...held,
    browsers,
    changes,
    shop,
    desk,
    newApplication: async (name: string): Promise<Application> =>
      applicationOf(
        (await succeed(service.registerApplication(CONTEXT, { name, scope: 'users:sign_in' }))).application
          .id,
      ),
    applicationOf,
    factsOf,
    callerOf,
    signIn,
    /** Signs Ada in on the API of the shop. */
    signInAtShop: async () => (await world.signIn()).caller,
    signInAgain: (before: SessionFacts, user?: typeof EVE) =>
      signIn({ former: some(before), ...(user === undefined ? {} : { user }) }),
    open,
    /** Which of these sessions are alive. */
    alive: async (...all: ReadonlyArray<SessionFacts>): Promise<ReadonlyArray<boolean>> =>
      Promise.all(all.map(async ({ session }) => isAlive(await factsOf(session.id), clock.read() / 1000))),
    /** Writes the row of a session: its user is authenticated again. */
    stepUp: async ({ session: { id } }: SessionFacts) =>
      succeed(service.stepUp(CONTEXT, await callerOf(id), { password: ada.password })),
    disagreements: async () => (await succeed(service.checkLog)).disagreements,
  }
}

export type BrowserWorld = Awaited<ReturnType<typeof newBrowserWorld>>
