import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { codeIn, partOf } from '../readme/page.ts'
import { processWorkplace } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'

const part = partOf(readFileSync('docs/observe.md', 'utf8'), '## Traces')

type Printed = Readonly<{
  name: string
  id: string
  traceId: string
  parentSpanContext?: Readonly<{ spanId: string }>
  kind: number
  attributes: Readonly<Record<string, unknown>>
  resource: Readonly<{ attributes: Readonly<Record<string, unknown>> }>
}>

/** The spans that the SDK's exporter printed: each an object as Node.js prints it, from a `{` to a `}` on their own lines. */
const spansIn = (out: string): ReadonlyArray<Printed> =>
  [...out.matchAll(/^\{\n[\s\S]*?^\}$/gm)].map(([text]) => runInNewContext(`(${text})`))

/** Replaces `npm install`: the SDK with its own copy of the API, separate from that of the service. */
const install = (folder: string): void => {
  const packages = join(folder, 'node_modules', '@opentelemetry')
  mkdirSync(packages, { recursive: true })
  cpSync(join('node_modules', '@opentelemetry'), packages, { recursive: true, dereference: true })
}

describe('a service with the tracing.mjs of docs/observe.md', () => {
  const place = processWorkplace()
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-tracing-'))
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  let spans: ReadonlyArray<Printed>
  let lines: ReadonlyArray<Readonly<Record<string, unknown>>>
  const ids = { given: 'given.by-the_client', made: '' }

  before(async () => {
    install(folder)
    const [, tracing = ''] = /\((\.\.\/tests\/.*tracing\.mjs)\)/.exec(part) ?? []
    copyFileSync(join('docs', tracing), join(folder, 'tracing.mjs'))
    const [, start = ''] = codeIn(part, 'sh')
    const [, options = ''] = /^NODE_OPTIONS="(.*)" node dist\/adapters\/main\.js serve$/m.exec(start) ?? []
    const log = join(folder, 'log')
    const NODE_OPTIONS = options.replace('/path/to', folder)
    expect(NODE_OPTIONS).to.include(join(folder, 'tracing.mjs'))

    const made = JSON.parse((await place.portcullis('application create --name shop --json')).out)
    await place.portcullis('user create --email ada@example.com --password-stdin', {
      input: credentials.password,
    })
    const server = await place.serve('serve', { NODE_OPTIONS, LOG_TO: log })
    const { send, close } = httpClient(server.url)
    const post = { method: 'POST', path: '/api/v1/auth/application/token' }
    const { public_api_key, private_api_key } = made
    const { body } = await send({ ...post, body: { public_api_key, private_api_key } })
    const signIn = { method: 'POST', path: '/api/v1/auth/user/token', token: body.token, body: credentials }
    const given = await send({ ...signIn, headers: { 'x-request-id': ids.given } })
    expect(given.headers['x-request-id']).to.equal(ids.given)
    ids.made = String((await send(signIn)).headers['x-request-id'])
    await close()
    expect(await server.end()).to.equal(0)
    spans = spansIn(server.printed())
    lines = jsonLines(readFileSync(log, 'utf8'))
  })
  after(() => {
    place.remove()
    rmSync(folder, { recursive: true })
  })

  const signInUnder = (id: string): Printed => {
    const [span, ...more] = spans.filter(({ attributes }) => attributes['portcullis.request_id'] === id)
    if (span === undefined || more.length > 0) throw new Error(`no span, or several, of ${id}`)
    return span
  }

  it('prints all spans of its requests before it ends', () => {
    expect(spans.map(({ name }) => name)).to.have.members([
      'POST /api/v1/auth/application/token',
      'commit',
      ...['POST /api/v1/auth/user/token', 'verify password', 'commit'],
      ...['POST /api/v1/auth/user/token', 'verify password', 'commit'],
    ])
    for (const { resource } of spans) expect(resource.attributes['service.name']).to.equal('portcullis')
  })

  for (const which of ['given', 'made'] as const) {
    it(`has one request id in the response, the log, the event and the span: one that was ${which}`, async () => {
      const id = ids[which]
      expect(id).to.match(which === 'made' ? /^[0-9a-f]{8}-[0-9a-f-]{27}$/ : /^given/)
      expect(signInUnder(id).name).to.equal('POST /api/v1/auth/user/token')
      expect(lines.filter(({ request_id }) => request_id === id)).to.have.length(1)
      const { out } = await place.portcullis('events list --type UserSignedIn --json')
      expect(jsonLines(out).filter(({ request_id }) => request_id === id)).to.have.length(1)
    })

    it(`writes its trace and span ids into the log, for a request id that was ${which}`, () => {
      const { traceId, id: spanId } = signInUnder(ids[which])
      const [line] = lines.filter(({ request_id }) => request_id === ids[which])
      expect(line).to.include({ msg: 'answered', trace_id: traceId, span_id: spanId, status: 200 })
      const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)
      expect(children.map(({ name }) => name)).to.deep.equal(['verify password', 'commit'])
      for (const child of children) expect(child.traceId).to.equal(traceId)
    })
  }

  it('has only span attributes that docs/observe.md lists', () => {
    const keys = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
    expect(keys.size).to.be.above(5)
    for (const key of keys) expect(part).to.include(`\`${key}\``)
  })
})

describe('a service without an SDK', () => {
  const place = processWorkplace()
  after(place.remove)

  it('writes nothing about traces into its log', async () => {
    const log = join(place.folder, 'log')
    const server = await place.serve('serve', { LOG_TO: log })
    const { send, close } = httpClient(server.url)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await send({ method: 'GET', path: '/api/v1/profile', headers: { traceparent } })
    await close()
    expect(await server.end()).to.equal(0)
    const lines = jsonLines(readFileSync(log, 'utf8')).filter(({ route }) => route === '/api/v1/profile')
    expect(lines).to.have.length(1)
    expect(lines[0]).not.to.have.any.keys('trace_id', 'span_id')
  })
})

describe('the API of OpenTelemetry', () => {
  it('is not newer than that of the current SDK, which could not find it otherwise', () => {
    const own = JSON.parse(readFileSync('package.json', 'utf8')).dependencies['@opentelemetry/api']
    const sdk = JSON.parse(readFileSync('node_modules/@opentelemetry/sdk-trace-node/package.json', 'utf8'))
    expect(own).to.match(/^~1\.\d+\.\d+$/) // patch versions only: the service finds an SDK with an API of the same minor version or a newer one
    const [, minor] = own.split('.').map(Number)
    const [, below] = /<1\.(\d+)\.0$/.exec(sdk.peerDependencies['@opentelemetry/api'])?.map(Number) ?? []
    expect(minor).to.be.below(below ?? 0)
  })
})
