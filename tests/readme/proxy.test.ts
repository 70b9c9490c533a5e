import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { withService } from '../support/with-service.ts'
import { collectedSpans } from '../traces/collected-spans.ts'
import { codeIn, partOf } from './page.ts'

const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)]
const blocks = pages.flatMap((page) => codeIn(readFileSync(page, 'utf8'), 'nginx'))
const [nginx = ''] = codeIn(partOf(readFileSync('docs/deploy.md', 'utf8'), '## Behind a TLS proxy'), 'nginx')
const locations = [...nginx.matchAll(/^ +location (.+?) \{([^}]*)\}/gm)].map(([, where = '', does = '']) => ({
  where,
  does: does.trim(),
}))

/** What clients may send and the service does not get: nginx passes no header that is set to nothing. */
const taken = [...nginx.matchAll(/proxy_set_header (\S+) "";/g)].map(([, name = '']) => name.toLowerCase())

const TRACE = '0af7651916cd43dd8448eb211c80319c'

describe('the proxy in docs/deploy.md', () => {
  const { taken: spans } = collectedSpans()

  it('keeps the metrics to this side of it', async () => {
    const closed = locations.filter(({ does }) => does === 'return 404;').map(({ where }) => where)
    expect(closed).to.deep.equal(['= /metrics'])
    await withService({}, async ({ port }) => {
      const answer = await fetch(`http://127.0.0.1:${port}${closed[0]?.slice(2)}`)
      expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
      await answer.body?.cancel()
    })
  })

  it('takes from strangers what would choose the ids of traces, or keep a request from being traced', async () => {
    const sent = { traceparent: `00-${TRACE}-b7ad6b7169203331-00`, tracestate: 'a=b' }
    const passed = Object.fromEntries(Object.entries(sent).filter(([name]) => !taken.includes(name)))
    expect(passed).to.deep.equal({})
    await withService({}, async ({ send }) => {
      spans()
      await send({ method: 'GET', path: '/healthz', headers: sent })
      expect(spans()).to.deep.equal([]) // so that there is something to take away
      await send({ method: 'GET', path: '/healthz', headers: passed })
      const [span, ...more] = spans()
      expect(more).to.deep.equal([])
      expect(span?.spanContext().traceId).not.to.equal(TRACE)
    })
  })

  it('sets headers for every location alike: one that set its own would pass on all others as they came', () => {
    const inner = locations.map(({ does }) => does).join('\n')
    expect(inner).to.include('proxy_pass')
    expect(blocks.length).to.be.above(1)
    for (const block of [inner, ...blocks.filter((one) => one !== nginx)])
      expect(block).not.to.include('proxy_set_header')
    expect(taken).to.include.members(['connection', 'traceparent', 'tracestate'])
  })
})
