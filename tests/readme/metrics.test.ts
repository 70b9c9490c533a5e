import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { expectListed } from '../support/listed.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'
import { partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const part = partOf(readFileSync('docs/observe.md', 'utf8'), '## Metrics')

const alerts = readFileSync('deploy/prometheus/portcullis.rules.yml', 'utf8')
const dashboard = readFileSync('deploy/grafana/portcullis.json', 'utf8')

/** Each row of the table: a metric, the labels it is said to have, and for some of these all the values there are. */
const rows = [...part.matchAll(/^\| `(portcullis_\w+)` \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, name = '', labels = '', meaning = '']) => ({
    name,
    labels: labelsIn(labels),
    isHistogram: /^ histogram: /.test(meaning),
  }),
)

/** Only a service that sends mails has their metrics, and only an OpenID provider has its own. Nothing listens there. */
const WITH_ALL = {
  ACCOUNT_PAGES: 'on',
  OPENID: 'on',
  MAIL_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

describe('the metrics in docs/observe.md', () => {
  let exposed: Scrape
  before(() =>
    withService(
      WITH_ALL,
      async ({ port, send, userToken }) => {
        // So that each metric has a series.
        await send({ method: 'GET', path: '/api/v1/profile', token: await userToken() })
        const token = 'sk_none'
        await send({
          method: 'POST',
          path: '/api/v1/auth/application/token',
          body: { public_api_key: 'pk_none', private_api_key: token },
        })
        await scrape(`http://127.0.0.1:${port}`)
        exposed = await scrape(`http://127.0.0.1:${port}`)
      },
      provide(Dependency.identityProviders, () => [memoryIdentityProvider()]),
    ),
  )

  it('are those that a scrape returns, and none besides', () => {
    const ours = [...exposed.types.keys()].filter((name) => name.startsWith('portcullis_'))
    expectListed(
      rows.map(({ name }) => name),
      ours,
      'the table of docs/observe.md',
    )
  })

  it('are histograms where it says so', () => {
    for (const { name, isHistogram } of rows)
      expect(exposed.types.get(name) === 'histogram', name).to.equal(isHistogram)
  })

  it('have the labels it names, and of these the values it names', () => {
    for (const { name, labels } of rows) {
      const own = exposed.series.filter(
        (one) => one.replace(/(?:_bucket|_sum|_count)?(?:\{.*)?$/, '') === name,
      )
      const shown = new Map<string, Set<string>>()
      for (const [, label = '', value = ''] of own.flatMap((one) => [...one.matchAll(/([a-z]+)="([^"]*)"/g)]))
        if (label !== 'le') shown.set(label, (shown.get(label) ?? new Set()).add(value))
      expect([...shown.keys()], name).to.have.members(labels.map(([label]) => label))
      for (const [label = '', ...values] of labels)
        if (values.length > 0)
          expect([...(shown.get(label) ?? [])], `${name} ${label}`).to.have.members(values)
    }
  })

  it('are all that the alerts and the dashboard name', () => {
    const known = new Set([...exposed.types.keys(), ...exposed.series.map((one) => one.replace(/\{.*/, ''))])
    for (const file of [alerts, dashboard]) {
      const names = namesIn(file)
      expect(names.length).to.be.above(5)
      expect(names.filter((name) => !known.has(name))).to.deep.equal([])
    }
  })

  it('begin at 0 or not at all, as it says of those in the alerts', () => {
    const [, late = ''] = /The series of ([^.]+?)\s+start at 1/.exec(part) ?? []
    const names = namesIn(late)
    const used = namesIn(alerts).map((name) => name.replace(/_bucket$/, ''))
    for (const name of names) expect(used).to.include(name)
    return withService(WITH_ALL, async ({ port }) => {
      const { series } = await scrape(`http://127.0.0.1:${port}`) // before anything has happened
      for (const name of used.filter((one) => one.startsWith('portcullis_')))
        expect(
          series.some((one) => one.startsWith(name)),
          name,
        ).to.equal(!names.includes(name))
    })
  })
})

/** The metrics that a text speaks of. */
function namesIn(text: string): ReadonlyArray<string> {
  return [...new Set(text.match(/\b(?:portcullis|nodejs|process)_\w+/g) ?? [])]
}

/** Each label, and behind it the values that are named, if any are: `one`: `a`, `b`; `two`. */
function labelsIn(text: string): ReadonlyArray<ReadonlyArray<string>> {
  return text
    .split(';')
    .map((label) => [...label.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word))
    .filter((words) => words.length > 0)
}
