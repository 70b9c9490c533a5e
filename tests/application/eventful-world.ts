import { nodeDigests } from '../../adapters/driven/node/environment.ts'
import { checkLog } from '../../application/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CALL, newWorld, type World } from './world.ts'

export const EMAILS = ['bob@example.com', 'cleo@example.com', 'dan@example.com'] as const

/** A world in which everything has happened that leaves a trace in a row. */
export const eventfulWorld = async (): Promise<World> => {
  const world = await newWorld()
  const { service, ada } = world
  const [bob, cleo, dan] = EMAILS
  for (const email of EMAILS) {
    await succeed(service.registerUser(CALL, { email, password: 'secret' }, OPERATOR))
  }
  const here = await world.signIn()
  await world.signIn()
  const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
  await succeed(service.changePassword(CALL, here.caller, change))
  const last = await world.signIn('new')
  await succeed(service.signOut(CALL, (await world.signIn('new')).caller))
  await succeed(service.endOtherSessions(CALL, last.caller))
  await succeed(service.disableUser(CALL, bob))
  await succeed(service.removeUser(CALL, cleo))
  await succeed(service.setPassword(CALL, { email: dan, password: 'set' }))
  await succeed(service.setPassword(CALL, { email: ada.email, password: 'set' }))
  const { token } = await succeed(service.issueApplicationToken(CALL, world.shop))
  await succeed(service.revokeToken(CALL, world.shop.application.id, token))
  const request = { id: world.shop.application.id, overlapSeconds: 60 }
  await succeed(service.rotateApplicationKey(CALL, request))
  const other = await succeed(service.registerApplication(CALL, { name: 'other', scope: 'users:register' }))
  await succeed(service.revokeApplication(CALL, other.application.id))
  await succeed(service.rotateKeys(CALL, { purposes: ['user'], atOnce: false }))
  await succeed(service.rotateKeys(CALL, { purposes: ['application'], atOnce: true }))
  await fail(service.signIn(CALL, world.caller, { email: bob, password: 'secret' }))
  await world.background.settle()
  return world
}

/** What `checkLog` says of a store in this world. */
export const check = ({ clock }: World, store: Store) =>
  succeed(checkLog(store, clock.read, nodeDigests)).then(({ disagreements }) => disagreements)
