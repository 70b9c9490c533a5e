import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { hasPromtool } from '../support/promtool.ts'
import { evaluated, measure, type Series, withTarget } from './measured.ts'

type Panel = Readonly<{
  id: number
  type: string
  title: string
  description?: string
  gridPos: Readonly<{ h: number; w: number; x: number; y: number }>
  datasource?: Readonly<{ uid: string }>
  targets?: ReadonlyArray<Readonly<{ refId: string; expr: string }>>
}>

const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/portcullis.json'), 'utf8'))
const panels: ReadonlyArray<Panel> = dashboard.panels
const shown = panels.filter(({ type }) => type !== 'row')

describe('the dashboard for Grafana', () => {
  if (!hasPromtool) return

  it('shows data in each panel, of a service that worked and then lost its store', async () => {
    const { atWork, withoutStore } = await measure()
    const scrapes = [...atWork, ...withoutStore]
    const names = [...new Set(scrapes.flatMap(({ series }) => series))]
    const input: ReadonlyArray<Series> = [
      { series: withTarget('up', 'portcullis'), values: `1x${scrapes.length}` },
      ...names.map((name) => ({
        series: withTarget(name, 'portcullis'),
        values: scrapes.map(({ value }) => value(name) ?? '_').join(' '),
      })),
    ]
    const [, instances = ''] =
      /^label_values\((.+), instance\)$/.exec(dashboard.templating.list[1].query.query) ?? []
    const queries = [instances, ...shown.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))]
    expect(queries.length).to.be.above(shown.length)
    const expressions = queries.map(
      (query) =>
        query
          .replaceAll('$instance', '.*')
          .replaceAll('$__rate_interval', '5m')
          .replaceAll(' or vector(0)', ''), // shows 0 for what never happened, and would hide a wrong name
    )
    expect(expressions.filter((expression) => expression.includes('$'))).to.deep.equal([])
    const expected = expressions.map((expression) => ({
      expr: `count((${expression}) > -Inf) > bool 0`, // more than NaN
      eval_time: `${scrapes.length - 1}m`,
      exp_samples: [{ labels: '{}', value: 1 }],
    }))
    expect(evaluated(input, expected)).to.equal('')
  })
})
