import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { claimsOf } from '../support/token-claims.ts'

const NEW = 'chosen by the thief'

/** Only an application with `users:roles` and an operator give roles (docs/threat-model.md). */
onMemory('a thief who wants to be an administrator', (stores) => {
  let running: RunningService
  let desk: string
  before(async () => {
    running = await startService(await stores.fresh())
    desk = await scopedToken(running, 'users:roles')
  })
  after(() => running.stop())

  const post = (path: string, token: string | undefined, body: object) =>
    running.send({ method: 'POST', path: `/api/v1/${path}`, body, ...(token !== undefined && { token }) })
  const rolesOf = async (user_id = running.user.id) =>
    (await post('users/roles', desk, { user_id, add: [] })).body.roles
  const change = (body: object, user_id = running.user.id) => post('users/roles', desk, { user_id, ...body })

  it('gains no role by fields that other routes do not have', async () => {
    const application = await running.applicationToken()
    const roles = { roles: ['admin'], add: ['admin'] }
    const eve = { email: 'eve@example.com', password: 'correct horse' }
    const { body: registered } = await post('users', application, { ...eve, ...roles })
    expect(await rolesOf(registered.id)).to.deep.equal([])
    const { body: signedIn } = await post('auth/user/token', application, { ...eve, ...roles })
    const token = signedIn.token
    await post('profile', token, roles)
    await post('auth/user/token/renew', application, { token, ...roles })
    await post('profile/step_up', token, { password: eve.password, ...roles })
    const passwords = { old_password: eve.password, new_password: NEW, new_password_check: NEW }
    await post('profile/change_password', token, { ...passwords, ...roles })
    expect(await rolesOf(registered.id)).to.deep.equal([])
  })

  it('gains nothing at the service by the names of scopes, and no application by the role of one', async () => {
    await change({ add: ['users:manage', 'users:roles', 'users:read'] })
    const token = await running.userToken()
    for (const [path, body] of [
      ['users/roles', { user_id: running.user.id, add: ['admin'] }],
      ['users/disable', { user_id: running.user.id }],
      ['users/search', {}],
    ] as const)
      expect((await post(path, token, body)).status).to.equal(403)
    await change({ remove: ['users:manage', 'users:roles', 'users:read'] })
  })

  it('who gives roles with a stolen key enters no account, and is named in the log', async () => {
    const { body } = await change({ add: ['admin'] })
    expect(body.roles).to.deep.equal(['admin'])
    for (const [path, sent] of [
      ['auth/user/token', { email: running.user.email, password: running.user.password }],
      ['users/recovery', { email: running.user.email }],
      ['users/search', {}],
      ['users/end_sessions', { user_id: running.user.id }],
    ] as const)
      expect((await post(path, desk, sent)).status).to.equal(403)
    const auditor = await scopedToken(running, 'events:read')
    const path = '/api/v1/events?type=UserRolesChanged&limit=500'
    const { body: entries } = await running.send({ method: 'GET', path, token: auditor })
    const { data } = entries.at(-1)
    expect(data.data).to.deep.equal({ roles: ['admin'] })
    expect([data.actor.kind, data.actor.id]).to.deep.equal(['application', claimsOf(desk).sub])
    await change({ remove: ['admin'] })
  })

  it('who has the mailbox gets the roles of the owner with the account, and ends its sessions', async () => {
    await change({ add: ['editor'] })
    const before = await running.userToken()
    const recoverer = await scopedToken(running, 'users:recover')
    const { body } = await post('users/recovery', recoverer, { email: running.user.email })
    const passwords = { new_password: NEW, new_password_check: NEW }
    expect(
      (await post('users/recovery/complete', undefined, { token: body.token, ...passwords })).status,
    ).to.equal(200)
    expect((await running.send({ method: 'GET', path: '/api/v1/profile', token: before })).status).to.equal(
      401,
    )
    expect(await rolesOf()).to.deep.equal(['editor'])
  })

  it('leaves no role to the next user of a removed e-mail', async () => {
    const application = await running.applicationToken()
    const eve = { email: 'next@example.com', password: 'correct horse' }
    const { body: first } = await post('users', application, eve)
    await change({ add: ['admin'] }, first.id)
    const token = await running.userToken(eve)
    expect((await post('profile/remove', token, { password: eve.password })).status).to.equal(200)
    expect((await change({ add: [] }, first.id)).status).to.equal(422)
    const { body: second } = await post('users', application, eve)
    expect(await rolesOf(second.id)).to.deep.equal([])
    expect((await post('auth/user/token', application, eve)).body.roles).to.deep.equal([])
  })
})
