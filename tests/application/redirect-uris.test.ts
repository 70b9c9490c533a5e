import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { accountPagesId } from '../../domain/account-pages.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('what makes an application a client of the OpenID provider', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, PASSKEY_RP_ID: 'shop.example' } })
  })

  type Request = Parameters<World['service']['setApplication']>[2]
  const set = (request: Request) => world.service.setApplication(CONTEXT, world.shop.application.id, request)
  const stored = async (id = world.shop.application.id) => {
    const found = await succeed(world.store.findApplication(id))
    if (!isSome(found)) return undefined
    const { redirectUris, logoutUris, clientKind, requiresPkce } = found.value
    return { redirectUris, logoutUris, clientKind, requiresPkce }
  }
  const written = async () => (await world.events()).map(({ type, data }) => [type, data])
  const expectAgreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])

  const redirectUris = ['https://shop.example/callback', 'http://127.0.0.1:3000/callback']
  const logoutUris = ['https://shop.example/bye']

  it('is nothing at first', async () => {
    expect(await stored()).to.deep.equal(NO_CLIENT)
  })

  it('is recorded if it changes, and each list replaces the former one', async () => {
    const request = { redirectUris, logoutUris, pkce: 'optional' } as const
    for (const hasChanged of [true, false])
      expect(await succeed(set(request))).to.have.property('hasChanged', hasChanged)
    expect(await stored()).to.deep.equal({ ...NO_CLIENT, redirectUris, logoutUris, requiresPkce: false })
    await succeed(set({ redirectUris: [] }))
    await succeed(set({ logoutUris: [], client: 'public', pkce: 'required' }))
    expect(await stored()).to.deep.equal({ ...NO_CLIENT, clientKind: 'public' })
    const first = {
      redirect_uris: redirectUris,
      logout_uris: logoutUris,
      client: 'confidential',
      pkce: 'optional',
    }
    expect(await written()).to.deep.equal([
      ['RedirectUrisSet', first],
      ['RedirectUrisSet', { ...first, redirect_uris: [] }],
      ['RedirectUrisSet', { redirect_uris: [], logout_uris: [], client: 'public', pkce: 'required' }],
    ])
    await expectAgreement()
  })

  it('changes together with all other values, in one change', async () => {
    const returnUrls = ['https://shop.example/back']
    const { application } = await succeed(set({ name: 'renamed', returnUrls, redirectUris }))
    expect(application).to.deep.include({ name: 'renamed', returnUrls, redirectUris })
    expect((await written()).map(([type]) => type)).to.deep.equal([
      'ApplicationChanged',
      'ReturnUrlsSet',
      'RedirectUrisSet',
    ])
    const found = await succeed(world.store.findApplication(world.shop.application.id))
    expect(isSome(found) && found.value).to.deep.include({ name: 'renamed', returnUrls, redirectUris })
    await expectAgreement()
  })

  it('stays if a request does not name it', async () => {
    await succeed(set({ redirectUris, logoutUris }))
    await succeed(set({ name: 'renamed' }))
    expect(await stored()).to.deep.equal({ ...NO_CLIENT, redirectUris, logoutUris })
  })

  it('ends no session', async () => {
    const { token } = await world.signIn()
    await succeed(set({ redirectUris, client: 'public' }))
    await succeed(set({ redirectUris: [] }))
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
  })

  it('is refused with all other problems, and then nothing changes', async () => {
    const uri = 'https://shop.example/callback#a'
    const problem = { _tag: 'UriRefused', list: 'redirect', uri, rule: 'fragment' }
    expect(await fail(set({ name: '', returnUrls: ['x'], redirectUris: [uri] }))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NameMalformed', { _tag: 'ReturnUrlMalformed', url: 'x' }, problem],
    })
    expect(await fail(set({ name: 'renamed', redirectUris: [uri] }))).to.deep.equal({
      _tag: 'Invalid',
      problems: [problem],
    })
    expect(await written()).to.deep.equal([])
  })

  it('is nothing for a revoked application', async () => {
    await succeed(world.service.revokeApplication(CONTEXT, world.shop.application.id))
    expect(await fail(set({ redirectUris }))).to.deep.equal({ _tag: 'ApplicationRevoked' })
  })

  it('is never the application of the account pages, which keeps its other settings', async () => {
    await succeed(world.service.createAccountPages(CONTEXT))
    const pages = (request: Request) => world.service.setApplication(CONTEXT, accountPagesId(1), request)
    for (const request of [
      { redirectUris },
      { redirectUris: [] },
      { client: 'public' },
      { pkce: 'required' },
    ] as const)
      expect(await fail(pages(request))).to.deep.equal({ _tag: 'ApplicationOfPages' })
    await succeed(pages({ name: 'Your account' }))
    expect(await stored(accountPagesId(1))).to.deep.equal(NO_CLIENT)
  })

  for (const passkeyOrigins of [[], ['https://shop.example']])
    it(`is registered with the application and ${passkeyOrigins.length} origins, in one change`, async () => {
      const uris = ['com.example.app:/callback']
      const app = { name: 'app', scope: 'users:sign_in', passkeyOrigins } as const
      const { application } = await succeed(
        world.service.registerApplication(CONTEXT, { ...app, redirectUris: uris, client: 'public' }),
      )
      expect(await stored(application.id)).to.deep.equal({
        ...NO_CLIENT,
        redirectUris: uris,
        clientKind: 'public',
      })
      const found = await succeed(world.store.findApplication(application.id))
      expect(isSome(found) && found.value.passkeyOrigins).to.deep.equal(passkeyOrigins)
      expect((await written()).map(([type]) => type)).to.deep.equal([
        'ApplicationRegistered',
        ...passkeyOrigins.map(() => 'PasskeyOriginsSet'),
        'RedirectUrisSet',
      ])
      await expectAgreement()
    })

  it('adds nothing to the log of a registration without it', async () => {
    const request = { name: 'app', scope: 'users:sign_in', redirectUris: [], client: 'confidential' } as const
    await succeed(world.service.registerApplication(CONTEXT, request))
    expect((await written()).map(([type]) => type)).to.deep.equal(['ApplicationRegistered'])
  })

  it('is refused when it is registered, with all other problems', async () => {
    const wrong = { name: '', scope: 'users:sign_in', client: 'public', pkce: 'optional' } as const
    expect(await fail(world.service.registerApplication(CONTEXT, wrong))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NameMalformed', { _tag: 'PkceOptional' }],
    })
    expect(await written()).to.deep.equal([])
  })
})
