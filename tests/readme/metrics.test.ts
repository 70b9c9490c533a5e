import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Scrape, scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'
import { codeIn, partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const part = partOf(readFileSync('README.md', 'utf8'), '### Metrics')

/** Each row of the table: a metric, the labels it is said to have, and for some of these all the values there are. */
const rows = [...part.matchAll(/^\| `(portcullis_\w+)` \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, name = '', labels = '', meaning = '']) => ({
    name,
    labels: labelsIn(labels),
    isHistogram: /^ histogram: /.test(meaning),
  }),
)

describe('the README’s metrics', () => {
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
    expect(rows.map(({ name }) => name)).to.have.members(ours)
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

  it('are what its rules for alerts speak of, by names and labels that there are', () => {
    const [yaml = ''] = codeIn(part, 'yaml')
    const expressions = [...yaml.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)
    expect(expressions.length).to.be.above(4)
    expect(yaml.match(/- alert: /g)).to.have.length(expressions.length)
    for (const expression of expressions) {
      const named = [
        ...expression.matchAll(/((?:portcullis|nodejs|process)_\w+)(?:\{([a-z]+)(=~?)"([^"]+)"\})?/g),
      ]
      expect(named, expression).not.to.deep.equal([])
      for (const [text, name = '', label, operator, value = ''] of named) {
        const own = exposed.series.filter((one) => one === name || one.startsWith(`${name}{`))
        if (label === undefined) expect(own, text).not.to.deep.equal([])
        // What has not happened yet has no series; its label has some.
        const values = own.flatMap((one) => [...one.matchAll(new RegExp(`\\b${label}="([^"]*)"`, 'g'))])
        if (label !== undefined) expect(values, text).not.to.deep.equal([])
        const isKnown = values.some(([, one]) => one === value) || name === 'portcullis_refusals_total'
        if (operator === '=') expect(isKnown, text).to.equal(true)
      }
    }
  })
})

/** Each label, and behind it the values that are named, if any are: `one`: `a`, `b`; `two`. */
function labelsIn(text: string): ReadonlyArray<ReadonlyArray<string>> {
  return text
    .split(';')
    .map((label) => [...label.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word))
    .filter((words) => words.length > 0)
}
