import { expect } from 'chai'
import { type CloudEvent, HTTP } from 'cloudevents'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { type Feed, feedOf, nextOf, positionsIn } from './feed-client.ts'

onMemory('GET /api/v1/events', (stores) => {
  let feed: Feed
  beforeEach(async () => {
    feed = await feedOf(await startService(await stores.fresh()))
  })
  afterEach(() => feed.running.stop())

  it('returns CloudEvents that another implementation accepts, with the entries as data', async () => {
    const { running, ask, log } = feed
    await running.userToken()
    const answer = await ask()
    const entries = await log()
    expect(answer.status).to.equal(200)
    expect(lastingHeaders(answer)).to.include({
      'cache-control': 'no-store',
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
    })
    const epoch = await succeed(running.service.store.readEpoch())
    const events = HTTP.toEvent({
      headers: { 'content-type': String(answer.headers['content-type']) },
      body: JSON.stringify(answer.body),
    })
    expect(events).to.be.an('array').with.lengthOf(entries.length)
    for (const [index, event] of (events as unknown as ReadonlyArray<CloudEvent<unknown>>).entries()) {
      const entry = entries[index]
      expect(event.validate()).to.equal(true)
      expect(event.toJSON()).to.deep.include({
        specversion: '1.0',
        id: entry?.id,
        source: `${PUBLIC_URL}/api/v1/log/${epoch}`,
        type: `portcullis.${entry?.type}`,
        subject: `${entry?.subject.kind}/${entry?.subject.id}`,
        sequence: String(entry?.position).padStart(15, '0'),
        datacontenttype: 'application/json',
        data: entry,
      })
      expect(new Date(String(event.time)).toISOString()).to.equal(entry?.at)
    }
    for (const event of answer.body)
      for (const name of Object.keys(event)) expect(name).to.match(/^[a-z0-9]+$/) // CloudEvents 1.0.2, naming conventions
  })

  it('leads through all pages by Link, with the same parameters', async () => {
    const { ask, log } = feed
    const seen: Array<number> = []
    let query = '?limit=2'
    for (let page = await ask(query); page.body.length > 0; page = await ask(query)) {
      expect(page.body.length).to.be.at.most(2)
      seen.push(...positionsIn(page))
      const { pathname, search, searchParams } = nextOf(page)
      expect([pathname, searchParams.get('limit')]).to.deep.equal(['/api/v1/events', '2'])
      query = search
    }
    expect(seen).to.deep.equal((await log()).map(({ position }) => position))
    const all = '?type=UserRegistered&wait=0&limit=500'
    expect([...nextOf(await ask(all)).searchParams.keys()]).to.deep.equal(['after', 'limit', 'type', 'wait'])
  })

  it('filters by type, and advances where no entry has it', async () => {
    const { ask, log } = feed
    const registered = await ask('?type=UserRegistered')
    expect(registered.body.map(({ type }: { type: string }) => type)).to.deep.equal([
      'portcullis.UserRegistered',
    ])
    const none = await ask('?type=UserRemoved')
    expect(none.body).to.deep.equal([])
    const epoch = await succeed(feed.running.service.store.readEpoch())
    expect(nextOf(none).searchParams.get('after')).to.equal(`${epoch}:${(await log()).length}`)
  })

  it('lists everything that is wrong with the parameters', async () => {
    const answer = await feed.ask('?after=yesterday&limit=501&type=Unknown&wait=31')
    expect([answer.status, answer.body.errors]).to.deep.equal([
      422,
      [
        { code: 1, message: 'after must be a cursor of the feed, such as 3fa81c02:1200.', param: 'after' },
        { code: 2, message: 'limit must be a whole number from 1 to 500.', param: 'limit' },
        { code: 3, message: 'type must be a type of the event log, such as UserSignedIn.', param: 'type' },
        {
          code: 4,
          message: 'wait must be a whole number of seconds from 0 to 30.',
          param: 'wait',
        },
      ],
    ])
  })

  for (const [query, message] of [
    ['?limit=1&limit=2', 'limit appears more than once.'],
    ['?after=%', 'The query is not percent-encoded UTF-8.'],
    ['?after=%ff', 'The query is not percent-encoded UTF-8.'],
    [`?${'x=&'.repeat(33)}`, 'The query has more than 32 parameters.'],
  ] as const) {
    it(`refuses the query ${query.slice(0, 20)}`, async () => {
      const answer = await feed.ask(query)
      expect([answer.status, answer.body]).to.deep.equal([400, { success: false, code: 400, message }])
    })
  }

  it('ignores unknown parameters, and takes escaped ones', async () => {
    expect(positionsIn(await feed.ask('?x=1&%6cimit=%31'))).to.deep.equal([1])
  })

  it('answers 410 for a cursor of an epoch that an operator ended, or behind the end', async () => {
    const { running, ask } = feed
    const before = nextOf(await ask()).searchParams.get('after')
    const { epoch } = await succeed(running.service.renewLog(CONTEXT))
    const last = before?.split(':')[1]
    const other = await ask(`?after=${before}`)
    expect([other.status, other.body.message]).to.deep.equal([
      410,
      `The log was restored or renewed, and its epoch is now ${epoch}. Positions may refer to other events. Read from the beginning, without after, or after the last shared position: ${epoch}:${last}.`,
    ])
    expect(positionsIn(await ask(`?after=${epoch}:${last}`))).to.deep.equal([Number(last) + 1])
    const beyond = await ask(`?after=${epoch}:5000`)
    expect([beyond.status, beyond.body.message]).to.deep.equal([
      410,
      'The log ends before this position, so the store was restored from a copy. Read from the beginning, without after.',
    ])
  })

  it('requires the scope events:read', async () => {
    const { running, ask } = feed
    for (const scope of ['users:sign_in users:register', 'users:read users:manage tokens:introspect']) {
      const answer = await ask('', await scopedToken(running, scope))
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope", scope="events:read"',
      )
    }
    expect((await ask('', await running.userToken())).status).to.equal(403)
    expect((await running.send({ method: 'GET', path: '/api/v1/events' })).status).to.equal(401)
  })

  it('answers with an empty page when the time of a wait is over', async () => {
    const answer = await feed.ask(`${nextOf(await feed.ask('?limit=500')).search}&wait=1`)
    expect([answer.status, answer.body]).to.deep.equal([200, []])
  })
})
