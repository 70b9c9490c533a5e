import { type Html, html } from '../operation/html.ts'
import { tableHtml } from './layout.ts'
import { hourOf, numberText, shortTime } from './times.ts'

/** Numbers by hour as bars, with the same numbers as a table. */
export type HourChart = Readonly<{
  id: string
  title: string
  /** What is counted, as the head of its column. */
  counted: string
  hours: ReadonlyArray<Readonly<{ at: number; count: number }>>
  /** Where the events of an hour are listed. */
  hrefOf: (at: number) => string
}>

/** Renders bars as SVG. Screen readers get the title and the table. */
export const hourChart = async ({ id, title, counted, hours, hrefOf }: HourChart): Promise<Html> => {
  const { scaleBand, scaleLinear } = await import('d3-scale') // loaded with the first chart
  const most = Math.max(1, ...hours.map(({ count }) => count))
  const x = scaleBand<number>()
    .domain(hours.map(({ at }) => at))
    .range([LEFT, WIDTH])
    .paddingInner(0.2)
  const y = scaleLinear().domain([0, most]).nice(TICKS).range([BASE, TOP])
  const ticks = y.ticks(TICKS).filter((tick) => Number.isInteger(tick) && tick > 0)
  const every = Math.ceil(hours.length / LABELS)
  const bars = hours.flatMap(({ at, count }) =>
    count === 0
      ? []
      : [
          html`<rect x="${round(x(at) ?? 0)}" y="${round(y(count))}" width="${round(x.bandwidth())}" height="${round(BASE - y(count))}"><title>${shortTime(at).slice(0, 16)}: ${numberText(count)}</title></rect>`,
        ],
  )
  const lines = ticks.map(
    (tick) =>
      html`<line x1="${LEFT}" x2="${WIDTH}" y1="${round(y(tick))}" y2="${round(y(tick))}"/><text class="y" x="${LEFT - 5}" y="${round(y(tick) + 4)}">${numberText(tick)}</text>`,
  )
  const labels = hours.flatMap(({ at }, index) =>
    index % every === 0
      ? [html`<text x="${round((x(at) ?? 0) + x.bandwidth() / 2)}" y="${HEIGHT - 4}">${hourOf(at)}</text>`]
      : [],
  )
  return html`<figure>
<figcaption id="${id}">${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}"><g class="grid">${lines}<line class="base" x1="${LEFT}" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"/></g><g class="bars">${bars}</g><g class="labels">${labels}</g></svg>
<details><summary>The numbers</summary>
${tableHtml({
  label: title,
  head: ['Hour', counted],
  rows: [...hours]
    .reverse()
    .map(({ at, count }) => [
      html`<a href="${hrefOf(at)}">${shortTime(at).slice(0, 16)}</a>`,
      numberText(count),
    ]),
})}</details>
</figure>
`
}

/** In units of the picture: about as many pixels on a phone. */
const WIDTH = 360
const HEIGHT = 140
const LEFT = 44
const TOP = 8
const BASE = HEIGHT - 20
const TICKS = 3
const LABELS = 6

const round = (length: number): number => Math.round(length * 10) / 10

/** Renders amounts as bars in a table, most first. */
export const amountsHtml = (
  label: string,
  head: readonly [string, string],
  amounts: ReadonlyArray<Readonly<{ name: Html; count: number }>>,
): Html => {
  const most = Math.max(1, ...amounts.map(({ count }) => count))
  return tableHtml({
    label,
    head: [...head, ''],
    rows: amounts.map(({ name, count }) => [
      name,
      numberText(count),
      html`<svg class="amount" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${round((100 * count) / most)}" height="8"/></svg>`,
    ]),
  })
}
