import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { expectListed } from '../support/listed.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'
import { codeIn, partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const part = partOf(readFileSync('docs/observe.md', 'utf8'), '## Metrics')

/** Each row of the table: a metric, the labels it is said to have, and for some of these all the values there are. */
const rows = [...part.matchAll(/^\| `(portcullis_\w+)` \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, name = '', labels = '', meaning = '']) => ({
    name,
    labels: labelsIn(labels),
    isHistogram: /^ histogram: /.test(meaning),
  }),
)

describe('the metrics in docs/observe.md', () => {
  let exposed: Scrape
  before(() =>
    withService({}, async ({ port, send, userToken }) => {
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
    }),
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

  const [scraping = '', rules = ''] = codeIn(part, 'yaml')
  const alerts = [...rules.matchAll(/^ +- alert: (\w+).*\n +expr: (.+)$/gm)].map(
    ([, name = '', expression = '']) => ({ name, expression }),
  )

  it('are what its rules for alerts speak of, by names and labels that there are', () => {
    expect(alerts.length).to.be.above(4)
    expect(rules.match(/- alert: /g)).to.have.length(alerts.length)
    for (const { expression } of alerts) {
      const named = selectorsIn(expression)
      expect(named, expression).not.to.deep.equal([])
      for (const { name, matchers } of named.filter((one) => one.name !== 'up')) {
        const own = exposed.series.filter((one) => one === name || one.startsWith(`${name}{`))
        if (matchers.length === 0) expect(own, expression).not.to.deep.equal([])
        for (const { label, operator, value } of matchers) {
          // What has not happened yet has no series; its label has some.
          const values = own.flatMap((one) => [...one.matchAll(new RegExp(`\\b${label}="([^"]*)"`, 'g'))])
          expect(values, `${expression} ${label}`).not.to.deep.equal([])
          const isKnown = values.some(([, one]) => one === value) || name === 'portcullis_refusals_total'
          if (operator === '=') expect(isKnown, `${expression} ${value}`).to.equal(true)
        }
      }
    }
  })

  it('are scraped by the job whose absence its rules notice', () => {
    const [, job] = /job_name: (\w+)$/m.exec(scraping) ?? []
    const asked = alerts
      .flatMap(({ expression }) => selectorsIn(expression))
      .filter(({ name }) => name === 'up')
    expect(asked.map(({ matchers }) => matchers)).to.deep.equal([
      [{ label: 'job', operator: '=', value: job }],
    ])
  })

  it('do not count in its rule about failures what machines poll with, whatever the prefix', () => {
    const failing = alerts.find(({ name }) => name === 'PortcullisFails')
    const excluded = selectorsIn(failing?.expression ?? '').map(({ matchers }) =>
      matchers.filter(({ operator }) => operator === '!~').map(({ value }) => new RegExp(`^(?:${value})$`)),
    )
    expect(excluded).to.have.length(2)
    for (const [routes = /^$/] of excluded) {
      for (const route of ['/metrics', '/auth/metrics', '/healthz', '/readyz']) expect(route).to.match(routes)
      for (const route of ['unknown', '/api/v1/profile', '/auth/oauth2/token'])
        expect(route).not.to.match(routes)
    }
  })

  it('begin at 0 or not at all, as it says of those in its rules', () => {
    const [, late = ''] = /The series of ([^.]+?)\s+start at 1/.exec(part) ?? []
    const names = [...late.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    const used = new Set(alerts.flatMap(({ expression }) => selectorsIn(expression)).map(({ name }) => name))
    const plain = [...used].map((name) => name.replace(/_bucket$/, ''))
    for (const name of names) expect(plain).to.include(name)
    return withService({}, async ({ port }) => {
      const { series } = await scrape(`http://127.0.0.1:${port}`) // before anything has happened
      for (const name of plain.filter((one) => one.startsWith('portcullis_')))
        expect(
          series.some((one) => one.startsWith(name)),
          name,
        ).to.equal(!names.includes(name))
    })
  })
})

type Matcher = Readonly<{ label: string; operator: string; value: string }>

/** Each metric that an expression in PromQL speaks of, with what it asks of its labels. */
function selectorsIn(
  expression: string,
): ReadonlyArray<Readonly<{ name: string; matchers: ReadonlyArray<Matcher> }>> {
  return [...expression.matchAll(/\b(up|(?:portcullis|nodejs|process)_\w+)(?:\{([^}]+)\})?/g)].map(
    ([, name = '', labels = '']) => ({
      name,
      matchers: [...labels.matchAll(/([a-z_]+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }),
  )
}

/** Each label, and behind it the values that are named, if any are: `one`: `a`, `b`; `two`. */
function labelsIn(text: string): ReadonlyArray<ReadonlyArray<string>> {
  return text
    .split(';')
    .map((label) => [...label.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word))
    .filter((words) => words.length > 0)
}
