import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('the return URLs of an application', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const set = (request: Parameters<World['service']['setApplication']>[2]) =>
    world.service.setApplication(CONTEXT, world.shop.application.id, request)
  const stored = async () => {
    const found = await succeed(world.store.findApplication(world.shop.application.id))
    return isSome(found) ? found.value.returnUrls : undefined
  }
  const written = async () => (await world.events()).map(({ type, data }) => [type, data])
  const expectAgreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])

  const returnUrls = ['https://shop.example/back', 'http://localhost:3000/']

  it('are recorded if they change, and replace all former ones', async () => {
    for (const hasChanged of [true, false])
      expect(await succeed(set({ returnUrls }))).to.have.property('hasChanged', hasChanged)
    expect(await stored()).to.deep.equal(returnUrls)
    await succeed(set({ returnUrls: [] }))
    expect(await stored()).to.deep.equal([])
    expect(await written()).to.deep.equal([
      ['ReturnUrlsSet', { urls: returnUrls }],
      ['ReturnUrlsSet', { urls: [] }],
    ])
    await expectAgreement()
  })

  it('change together with other values, in one change', async () => {
    const { application } = await succeed(set({ name: 'renamed', returnUrls }))
    expect(application).to.deep.include({ name: 'renamed', returnUrls })
    expect((await written()).map(([type]) => type)).to.deep.equal(['ApplicationChanged', 'ReturnUrlsSet'])
    expect(await stored()).to.deep.equal(returnUrls)
    await expectAgreement()
  })

  it('stay if the request does not name them', async () => {
    await succeed(set({ returnUrls }))
    await succeed(set({ name: 'renamed' }))
    expect(await stored()).to.deep.equal(returnUrls)
  })

  it('are refused with all other problems, and then nothing changes', async () => {
    const url = 'https://shop.example/back?a=b'
    expect(await fail(set({ name: '', returnUrls: [url] }))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NameMalformed', { _tag: 'ReturnUrlMalformed', url }],
    })
    expect(await fail(set({ returnUrls: [url] }))).to.have.property('_tag', 'Invalid')
    expect(await written()).to.deep.equal([])
  })
})
