import { expect } from 'chai'
import { expectHeaders, expectRefusal, get, NO_TOKEN, talk } from './transport-talk.ts'

const NOTHING_HERE = 'Unknown path.'

/** Node’s parser accepts any scheme of letters and does not validate the authority. */
describe('an absolute target', () => {
  const { running, answerTo } = talk()

  const expectPathToCount = async (origin: string) => {
    const alive = await answerTo(get(`${origin}/healthz?a=b`))
    expect([origin, alive.status, alive.body]).to.deep.equal([origin, 200, '{"status":"alive"}'])
    expectHeaders(alive)
    expectRefusal(await answerTo(get(`${origin}//healthz`)), 404, NOTHING_HERE)
  }

  for (const scheme of ['http', 'https', 'HTTP', 'hTTp', 'ftp', 'ws', 'wss', 'file', 'gopher', 'x']) {
    it(`is routed by its path for the scheme ${scheme}`, () => expectPathToCount(`${scheme}://service.test`))
  }

  for (const authority of [
    'service.test',
    'elsewhere.test:1',
    'user@elsewhere.test',
    'user:password@elsewhere.test:80',
    'a@b@c',
    '[::1]',
    '[::1]:80',
    '[::1',
    '[',
    'a:b:c',
    'a:99999',
    '%61',
    '%00',
    '%',
    'xn--a',
    '127.1',
    'a_b',
    "a'b",
    '*',
    '..',
    'healthz',
    '',
  ]) {
    it(`is routed by its path for the authority "${authority}"`, async () => {
      for (const scheme of ['http', 'ws']) await expectPathToCount(`${scheme}://${authority}`)
    })
  }

  for (const path of ['//', '//healthz', '/../healthz', '/%68ealthz', '/healthz#x', '/healthz/']) {
    it(`matches its path exactly: 404 for "${path}"`, async () => {
      for (const scheme of ['https', 'ftp']) {
        expectRefusal(await answerTo(get(`${scheme}://service.test${path}`)), 404, NOTHING_HERE)
      }
    })
  }

  for (const path of ['', '/', '?', '?/healthz'])
    it(`has the path / for "${path}"`, async () => {
      for (const scheme of ['https', 'ftp'])
        expect((await answerTo(get(`${scheme}://service.test${path}`))).headers.location).to.equal('docs')
    })

  it('is checked like any other on a route that takes a token', async () => {
    const token = await running().userToken()
    for (const target of ['https://elsewhere.test/api/v1/profile', 'ws://[/api/v1/profile']) {
      expectRefusal(await answerTo(get(target)), 401, NO_TOKEN)
      const answer = await answerTo(get(target, `Authorization: Bearer ${token}`))
      expect(JSON.parse(answer.body)).to.include({ email: running().user.email })
    }
  })
})
